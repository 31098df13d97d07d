import type { AdbAddress, LineSink, LineSource } from '@svc/device-lab';
import { runOnPhone } from '@svc/device-lab';
import { LINE_BOUNDS } from '../relays/line-relay.ts';

/**
 * @returns a source that runs `logcat` on a device and sends its latest lines and then each new one. Secrets in the
 * lines are not masked.
 */
export function adbLines(address: AdbAddress, serial: string): LineSource {
  return {
    open: (sink, withPast) =>
      runOnPhone(address, serial, `shell:logcat -v threadtime -T ${withPast ? LINE_BOUNDS.kept : 1}`, {
        read: (connection, isClosed) => passLines(connection.chunks(), sink, isClosed),
        ended: (reason) => sink.ended(reason),
      }),
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
    // Shorten an incomplete line to the length that viewers can see, so that a line that never ends does not fill the
    // memory.
    rest = (lines.pop() ?? '').slice(0, LINE_BOUNDS.characters);
    for (const line of lines) {
      if (isClosed()) return;
      sink.line(line.replace(/\r$/, ''));
    }
  }
}
