import { Readable } from 'node:stream';
import type { Caller } from '@svc/auth-core';
import type { LibraryApp } from '@svc/device-lab';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpContext } from '../http-context.ts';
import { attachment } from './content-disposition.ts';

/** A download ends when its client has taken nothing for so long. */
const IDLE_MS = 60_000;

interface Asked {
  readonly id: string;
  readonly ticket: string | undefined;
}

/**
 * Sends the file of an app to the holder of a ticket or to a caller. The ticket is spent when the content is sent and
 * by nothing else: a driver whose copy is still the same asks again if it finds the copy damaged.
 */
export async function sendApp(
  request: FastifyRequest,
  reply: FastifyReply,
  { id, ticket }: Asked,
  { services }: HttpContext,
): Promise<FastifyReply> {
  const { tickets, apps, openConnections, config } = services;
  const use = { audience: 'svc-app-download', resource: id } as const;
  const redeemed =
    ticket === undefined || config.authDisabled ? null : await tickets.check(ticket, use, request.from);
  const { app, file } = await apps.open(id);
  describe(reply, app);
  const isSame = request.headers['if-none-match'] === `"${app.sha256}"`;
  if (isSame || request.method === 'HEAD') {
    await file.close();
    if (isSame) return reply.removeHeader('content-length').code(304).send();
    // An empty stream: the length stays that of the content.
    return reply.send(Readable.from([]));
  }
  try {
    if (redeemed !== null) tickets.spend(redeemed);
  } catch (error) {
    await file.close();
    throw error;
  }
  const content = Readable.from(file.read(), { objectMode: false });
  const caller: Caller = redeemed?.caller ?? request.caller;
  const watch = openConnections.add({ caller, refusal: () => null, close: () => reply.raw.destroy() });
  reply.raw.setTimeout(IDLE_MS, () => reply.raw.destroy());
  content.once('close', () => {
    watch.forget();
    void file.close();
  });
  return reply.send(content);
}

function describe(reply: FastifyReply, { name, size, sha256 }: LibraryApp): void {
  reply.headers({
    'content-type': 'application/octet-stream',
    'content-disposition': attachment(name),
    'content-length': size,
    'x-content-type-options': 'nosniff',
    etag: `"${sha256}"`,
  });
}
