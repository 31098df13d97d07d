import type { IncomingMessage } from 'node:http';
import { type CreateCredentials, withCreateCredentials } from '../capabilities.ts';

/** The service takes no larger create. */
const LARGEST_CREATE = 4 * 1024 * 1024;

/**
 * Reads the body of a create and gives it with the credentials in it; nothing when it is too large. A body that is not
 * the JSON of a W3C create is given byte for byte: refusing it is the service's business. Never called for a client
 * that left.
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
  const finish = () => then(filled(Buffer.concat(chunks, size), credentials));
  request
    .on('data', collect)
    .on('end', finish)
    .on('error', () => {});
}

/** `fatal`: bytes that are no UTF-8, a compressed body for one, stay as they are. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function filled(body: Buffer, credentials: CreateCredentials): Buffer {
  try {
    const changed = withCreateCredentials(JSON.parse(UTF8.decode(body)), credentials);
    return changed === undefined ? body : Buffer.from(JSON.stringify(changed));
  } catch {
    return body;
  }
}
