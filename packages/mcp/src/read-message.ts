import type { IncomingMessage } from 'node:http';
import { Refusal } from '@svc/auth-core';
import { excessOf, jsonSizeOf } from '@svc/module';

/** Maximum size of the body of a request to the MCP server, in bytes (contract 1). */
const MOST_BYTES = 1024 * 1024;

/** Thrown if a body is not a JSON-RPC message. The response is a JSON-RPC error, because MCP clients read those. */
export class NoMessage {
  readonly code: number;
  readonly message: string;

  constructor(code: number, message: string) {
    this.code = code;
    this.message = message;
  }
}

/**
 * Reads the body of a request to the MCP server. Refuses JSON-RPC batches, because no protocol revision that the server
 * supports has batches.
 */
export async function readMessage(raw: IncomingMessage): Promise<unknown> {
  const [mediaType = ''] = (raw.headers['content-type'] ?? '').split(';');
  if (mediaType.trim().toLowerCase() !== 'application/json') throw new Refusal('unsupported_media_type');
  const body = await bodyOf(raw);
  const excess = excessOf(jsonSizeOf(body));
  if (excess !== null) return new NoMessage(-32_600, `The message has ${excess}.`);
  const message = parsed(body.toString());
  if (Array.isArray(message)) return new NoMessage(-32_600, 'Batches are not supported: send one message.');
  return message;
}

/** Reads a body without closing the connection if the body is too large, so that the client gets the response. */
function bodyOf(raw: IncomingMessage): Promise<Buffer> {
  return new Promise((done, failed) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= MOST_BYTES) chunks.push(chunk);
      else {
        raw.off('data', take).pause();
        failed(new Refusal('body_too_large'));
      }
    };
    raw.on('data', take);
    raw.once('end', () => done(Buffer.concat(chunks)));
    raw.once('close', () => failed(new Refusal('bad_request', 'the body is incomplete')));
  });
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : new NoMessage(-32_600, 'Not a message.');
  } catch {
    return new NoMessage(-32_700, 'Parse error: the body is not JSON.');
  }
}
