import { type AdbAddress, AdbConnection } from './adb-connection.ts';

const RESPONSE_MS = 5_000;

/** Callbacks for a program that runs on a phone. */
interface AdbProgram {
  /** Reads the output of the program. The program counts as ended when the promise settles. */
  readonly read: (connection: AdbConnection, isClosed: () => boolean) => Promise<void>;
  /** Called once when the program has ended, but never after the caller closed the connection. */
  readonly ended: (reason: string) => void;
}

/**
 * Runs a command in the shell of a phone.
 * @param service the command after `shell:`, or after `exec:` for binary output. The command must be a constant. If it
 * contained input of a client, the client could run other programs.
 * @returns a function that closes the connection, and thereby the standard input of the command
 */
export function runOnPhone(
  address: AdbAddress,
  serial: string,
  service: string,
  { read, ended }: AdbProgram,
): () => void {
  let connection: AdbConnection | undefined;
  let isClosed = false;
  const run = async () => {
    connection = await AdbConnection.open(address, RESPONSE_MS);
    if (isClosed) return;
    await connection.request(`host:transport:${serial}`, RESPONSE_MS);
    await connection.request(service, RESPONSE_MS);
    await read(connection, () => isClosed);
  };
  const over = (reason: string) => {
    connection?.close();
    if (isClosed) return;
    isClosed = true;
    ended(reason);
  };
  run().then(
    () => over('closed'),
    (error: unknown) => over(String(error)),
  );
  return () => {
    isClosed = true;
    connection?.close();
  };
}
