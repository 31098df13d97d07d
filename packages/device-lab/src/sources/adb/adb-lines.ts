import { LINE_BOUNDS, type LineSink, type LineSource } from '../../previews/line-relay.ts';
import { type AdbAddress, AdbConnection } from './adb-connection.ts';

const RESPONSE_MS = 5_000;

/** The `logcat` of a device: its latest lines and all new ones, unmasked. */
export function adbLines(address: AdbAddress, serial: string): LineSource {
  return {
    open: (sink, withPast) => {
      let connection: AdbConnection | undefined;
      let closed = false;
      const run = async () => {
        connection = await AdbConnection.open(address, RESPONSE_MS);
        if (closed) connection.close();
        await connection.request(`host:transport:${serial}`, RESPONSE_MS);
        await connection.request(
          `shell:logcat -v threadtime -T ${withPast ? LINE_BOUNDS.kept : 1}`,
          RESPONSE_MS,
        );
        await passLines(connection.chunks(), sink, () => closed);
      };
      const over = (reason: string) => {
        connection?.close();
        if (!closed) sink.ended(reason);
        closed = true;
      };
      run().then(
        () => over('closed'),
        (error: unknown) => over(String(error)),
      );
      return () => {
        closed = true;
        connection?.close();
      };
    },
  };
}

async function passLines(
  chunks: AsyncIterable<Uint8Array>,
  sink: LineSink,
  isClosed: () => boolean,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    // Of a line without a line end, only as much is kept as can be shown.
    rest = (lines.pop() ?? '').slice(0, LINE_BOUNDS.characters);
    for (const line of lines) {
      if (isClosed()) return;
      sink.line(line.replace(/\r$/, ''));
    }
  }
}
