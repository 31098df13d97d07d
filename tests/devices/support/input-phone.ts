import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { frame, okay, type ScriptedAdb, scriptedAdb } from './scripted-adb.ts';

/** An adb server with phones whose shell commands really run, with scripted programs `input` and `dumpsys`. */
export interface InputPhones {
  readonly server: ScriptedAdb;
  /** Arguments of each call of `input` so far, joined by a vertical bar, without those before the last `clear`. */
  inputs(): string[];
  clear(): void;
  /** Makes `input` wait until the next call of `resume`. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** Starts the adb server. The screen of each phone has 1080 × 2400 pixels. */
export async function inputPhones(serials: readonly string[]): Promise<InputPhones> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-input-'));
  const log = join(folder, 'log');
  const paused = join(folder, 'paused');
  const program = (name: string, text: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program(
    'input',
    `while [ -e ${paused} ]; do sleep 0.02; done
[ "$1 $2" = "keyevent 112" ] && echo Error: no such key
line=; for word in "$@"; do line="$line|$word"; done; printf '%s\\n' "$line" >> ${log}`,
  );
  program('dumpsys', 'echo "  init=1080x2400 440dpi cur=1080x2400 app=1080x2337"');
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const listed = serials.map(
    (serial, index) => `${serial}  device model:Pixel_9 transport_id:${index + 1}\n`,
  );
  const server = await scriptedAdb((service, socket) => {
    if (service === 'host:track-devices-l') socket.write(okay(frame(listed.join(''))));
    else if (service.startsWith('host:transport:')) socket.write(okay());
    else if (service.startsWith('shell:getprop')) socket.end(okay('15\n'));
    else if (service.startsWith('shell:')) {
      socket.write(okay());
      const child = spawn('sh', ['-c', service.slice('shell:'.length)], { env });
      child.stdout.pipe(socket);
    } else socket.end(`FAIL${frame('unexpected')}`);
  });
  const inputs = () =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .split('\n')
          .slice(0, -1)
          .map((line) => line.slice(1))
      : [];
  return {
    server,
    inputs,
    clear: () => rmSync(log, { force: true }),
    pause: () => writeFileSync(paused, ''),
    resume: () => rmSync(paused, { force: true }),
    close: async () => {
      rmSync(paused, { force: true });
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
