import type { IncomingHttpHeaders } from 'node:http';
import type { ConnectionPool } from './connection-pool.ts';

const LARGEST_ANSWER = 4 * 1024 * 1024;

export interface Ask {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string | null;
  /** Milliseconds within which the complete response must arrive. */
  readonly withinMs: number;
  /** Maximum size of the response in bytes; 4 MiB if absent. */
  readonly largest?: number;
  /** Signal that aborts the request when its caller no longer needs the response. Optional. */
  readonly unwanted?: AbortSignal;
}

export interface RemoteAnswer {
  readonly status: number;
  /** Body parsed from JSON, or null if it is not JSON. */
  readonly body: unknown;
}

/**
 * Sends a request and reads the complete response into memory. Rejects if the response does not arrive in time or is
 * too large.
 */
export async function ask(
  pool: ConnectionPool,
  { method, path, headers, body, withinMs, largest = LARGEST_ANSWER, unwanted }: Ask,
): Promise<RemoteAnswer> {
  const late = AbortSignal.timeout(withinMs);
  const signal = unwanted === undefined ? late : AbortSignal.any([late, unwanted]);
  const answer = await pool.request({ method, path, headers, body, signal });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largest) throw new Error('the response is too large');
    chunks.push(chunk);
  }
  return { status: answer.statusCode, body: jsonOf(Buffer.concat(chunks, size).toString('utf8')) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
