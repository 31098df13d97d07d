import { Readable } from 'node:stream';
import type { Caller } from '@svc/auth-core';
import type { LibraryApp, OpenFile } from '@svc/device-lab';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { spendTicket } from '../clients/sender.ts';
import type { HttpContext } from '../http/http-context.ts';
import { attachment } from './content-disposition.ts';
import type { Transfers } from './transfers.ts';

/** A download ends when its client has taken nothing for so long; Node notices it after twice that at most. */
const IDLE_MS = 30_000;

/**
 * Sends the file of an app to the holder of a ticket or to a caller. The ticket is spent when the content is sent and
 * by nothing else: a driver whose copy is still the same asks again if it finds the copy damaged.
 */
export async function sendApp(
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
  transfers: Transfers,
  { services: { tickets, apps } }: HttpContext,
): Promise<FastifyReply> {
  const { app, file } = await apps.open(id);
  try {
    describe(reply, app);
    const isSame = request.headers['if-none-match'] === etagOf(app);
    if (!isSame && request.method !== 'HEAD') {
      spendTicket(request, tickets);
      return reply.send(contentOf(file, reply, request.caller, transfers));
    }
    await file.close();
    if (isSame) return reply.removeHeader('content-length').code(304).send();
    // An empty stream: the length stays that of the content.
    return reply.send(Readable.from([]));
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Closes the file at its end, and the connection of a client that is too slow or may no longer have it. */
function contentOf(file: OpenFile, { raw }: FastifyReply, caller: Caller, transfers: Transfers): Readable {
  const transfer = transfers.begin(caller, () => null);
  const content = Readable.from(file.read(), { objectMode: false });
  transfer.signal.addEventListener('abort', () => raw.destroy());
  raw.setTimeout(IDLE_MS, () => raw.destroy());
  content.once('close', () => {
    transfer.done();
    void file.close();
  });
  return content;
}

function etagOf({ sha256 }: LibraryApp): string {
  return `"${sha256}"`;
}

function describe(reply: FastifyReply, app: LibraryApp): void {
  reply.headers({
    'content-type': 'application/octet-stream',
    'content-disposition': attachment(app.name),
    'content-length': app.size,
    'x-content-type-options': 'nosniff',
    etag: etagOf(app),
  });
}
