import { spawn } from 'node:child_process';
import type { LineSource } from '@svc/device-lab';
import { LINE_BOUNDS } from '../relays/line-relay.ts';

/**
 * @returns a source that runs `ios syslog` of go-ios and sends each line of the phone's log. Earlier lines are not
 * available. Secrets in the lines are not masked.
 * @param env the whole environment of the program
 */
export function iosLines(udid: string, env: Readonly<Record<string, string>>): LineSource {
  return {
    open: ({ line, ended }) => {
      const child = spawn('ios', ['syslog', `--udid=${udid}`], {
        ...{ env, stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true },
      });
      let isClosed = false;
      let rest = '';
      const over = (reason: string) => {
        if (isClosed) return;
        isClosed = true;
        child.kill('SIGKILL');
        ended(reason);
      };
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        // Twice the length that viewers see, because JSON escapes some characters.
        rest = (lines.pop() ?? '').slice(0, 2 * LINE_BOUNDS.characters);
        for (const each of lines) if (!isClosed) line(textOf(each));
      });
      child.once('error', (error: NodeJS.ErrnoException) => over(error.code ?? 'failed'));
      child.once('close', () => over('closed'));
      return () => {
        isClosed = true;
        child.kill('SIGKILL');
      };
    },
  };
}

/** @returns the line in an object `{"msg"}`, as go-ios prints it, or the line itself */
function textOf(line: string): string {
  try {
    const { msg } = JSON.parse(line) as { msg?: unknown };
    return typeof msg === 'string' ? msg : line;
  } catch {
    return line;
  }
}
