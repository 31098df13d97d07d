import type { IncomingMessage } from 'node:http';
import { type CreateCredentials, withCreateCredentials } from '../capabilities.ts';

/**
 * Maximum size in bytes of a create-session request's body that the proxy buffers. The server has its own limit,
 * `SVC_CREATE_MAX_BYTES`.
 */
const LARGEST_CREATE = 4 * 1024 * 1024;

/**
 * Reads the body of a create-session request, adds the credentials and calls `then` with the changed body, or with
 * undefined if the body is too large. A body that is not a W3C create-session request in JSON is passed on unchanged,
 * because the service refuses it anyway. `then` is not called if the client disconnects.
 */
export function createBody(
  request: IncomingMessage,
  credentials: CreateCredentials,
  then: (body: Buffer | undefined) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = (chunk: Buffer) => {
    size += chunk.length;
    if (size <= LARGEST_CREATE) chunks.push(chunk);
    else {
      request.off('data', collect).off('end', finish);
      then(undefined);
    }
  };
  const finish = () => then(withCredentialsAdded(Buffer.concat(chunks, size), credentials));
  request
    .on('data', collect)
    .on('end', finish)
    .on('error', () => {});
}

/**
 * Decoder that throws on bytes that are not UTF-8, such as a compressed body. `withCredentialsAdded` catches the error
 * and returns the body unchanged.
 */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function withCredentialsAdded(body: Buffer, credentials: CreateCredentials): Buffer {
  try {
    const changed = withCreateCredentials(JSON.parse(UTF8.decode(body)), credentials);
    return changed === undefined ? body : Buffer.from(JSON.stringify(changed));
  } catch {
    return body;
  }
}
