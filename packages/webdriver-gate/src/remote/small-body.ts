import type { IncomingMessage } from 'node:http';

/** As much is kept of a body for the command log, so it is held in one piece; a larger one is streamed. */
const SMALL = 64 * 1024;

type WithBody = IncomingMessage & { body?: unknown };

/**
 * The body of a command when it is small and says so; parsed, it is left on the request as Express would. Null: there
 * is none. Undefined: it is large or of unknown size, and has not been read.
 */
export function readSmallBody(req: IncomingMessage): Buffer | null | undefined | Promise<Buffer | null> {
  const { headers } = req;
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] === undefined ? null : undefined;
  if (length === '0') return null;
  return Number(length) <= SMALL ? collect(req) : undefined;
}

function collect(req: WithBody): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      req.body = parsed(body);
      resolve(body);
    });
    req.on('error', reject);
    req.on('close', () => reject(new Error('the client is gone')));
  });
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
