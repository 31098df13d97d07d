import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { SvcClient } from './rest-client.ts';

/** Characters that are not safe in a file name. A session id can contain them, because the driver chooses the id. */
const UNSAFE = /[^A-Za-z0-9._-]/g;
const MAX_NAME = 100;

/** The usual file name for the report of a session: `svc-session-<id>.html`. */
export function reportName(sessionId: string): string {
  return `svc-session-${sessionId.replace(UNSAFE, '_').slice(0, MAX_NAME)}.html`;
}

/**
 * Saves the report of a session as one HTML file, and creates its folder if needed (contract 11). A file that exists is
 * replaced; it stays unchanged if the report cannot be saved. Rejects with a `SvcError` if the service refuses the
 * request.
 */
export async function saveReport(client: SvcClient, sessionId: string, file: string): Promise<void> {
  const answer = await client.fetch('sessionReport', { params: { id: sessionId } });
  const partial = `${file}.${process.pid}.part`;
  await mkdir(dirname(file), { recursive: true });
  try {
    const body = (answer.body ?? new Blob([]).stream()) as ReadableStream;
    // Open the file before reading: a stream that opens it later could create it after the removal below.
    const written = await open(partial, 'w', 0o600);
    await pipeline(Readable.fromWeb(body), written.createWriteStream());
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/**
 * Saves the report of a session in a folder.
 * @returns the path of the file
 */
export async function saveReportIn(client: SvcClient, sessionId: string, folder: string): Promise<string> {
  const file = join(folder, reportName(sessionId));
  await saveReport(client, sessionId, file);
  return file;
}
