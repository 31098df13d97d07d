import { Readable } from 'node:stream';
import type { Caller } from '@svc/auth-core';
import type { LibraryApp, OpenFile } from '@svc/device-lab';
import { attachment } from '@svc/module';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { spendTicket } from '../admission/spend-ticket.ts';
import type { Transfers } from '../clients/transfers.ts';
import type { LabContext } from '../http/http-context.ts';

/**
 * Maximum time without progress after which a download is aborted (ms). Node.js may notice the lack of progress only
 * after twice this time.
 */
const IDLE_MS = 30_000;

/**
 * Sends the file of an app to a caller, or to a client that has a single-use ticket in place of a credential. A ticket
 * is spent only when content is sent. The response 304, for a client that already has this content, does not spend it:
 * if the client's copy turns out to be damaged, the same ticket still downloads the file.
 */
export async function sendApp(
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
  transfers: Transfers,
  { services: { tickets, modules } }: LabContext,
): Promise<FastifyReply> {
  const { app, file } = await modules.lab.offers.apps.open(id);
  try {
    describe(reply, app);
    const isSame = request.headers['if-none-match'] === etagOf(app);
    if (!isSame && request.method !== 'HEAD') {
      spendTicket(request, tickets);
      return reply.send(contentOf(file, reply, request.caller, transfers));
    }
    await file.close();
    if (isSame) return reply.removeHeader('content-length').code(304).send();
    // Sends an empty stream in response to a HEAD request. `Content-Length` already has the size of the file, and
    // Fastify would overwrite it for any body that is not a stream.
    return reply.send(Readable.from([]));
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Returns the content of the file as a stream, and closes the file when the stream ends. The connection is closed if
 * the client is too slow or has lost the permission to download.
 */
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
