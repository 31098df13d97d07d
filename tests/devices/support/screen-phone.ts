import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type AdbScript, frame, okay, type ScriptedAdb, scriptedAdb } from './scripted-adb.ts';

const SERIAL = 'phone-1';
const LISTED = `${SERIAL}  device model:Pixel_9 transport_id:1\n`;

/** Lines that `logcat` prints before it waits for further lines. */
const LOG = '11-23 12:00:00.000  1  1 I App: opened\n11-23 12:00:00.100  1  1 E App: no total\n';

/**
 * An adb server with one phone. The commands of the phone really run, in `sh` and in a separate session, as they do
 * under adbd.
 */
export interface ScreenPhone {
  readonly serial: string;
  readonly server: ScriptedAdb;
  /** @returns how often `screenrecord` was started */
  recordings(): number;
  /** @returns whether a process of a command still runs */
  isBusy(): boolean;
  turn(): void;
  close(): Promise<void>;
}

interface ScreenOptions {
  /** Whether `screenrecord` fails, as on a phone that does not have the program. */
  readonly withoutRecorder?: boolean;
  /** The time limit of `screenrecord`, in seconds. */
  readonly limit?: number;
}

/** Starts the phone. It needs `ffmpeg`, with which the phone encodes its video. */
export async function screenPhone({
  withoutRecorder = false,
  limit = 180,
}: ScreenOptions = {}): Promise<ScreenPhone> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-screen-'));
  const size = join(folder, 'size');
  const program = (name: string, text: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const turnTo = (width: number, height: number) => writeFileSync(size, `${width}x${height}`);
  turnTo(180, 320);
  const input = `-re -f lavfi -i "testsrc=size=$(cat ${size}):rate=10"`;
  const encoder =
    '-c:v libx264 -profile:v baseline -pix_fmt yuv420p -tune zerolatency -g 600 -flush_packets 1';
  const record = `exec ffmpeg -nostdin -v error ${input} -t ${limit} ${encoder} -f h264 -`;
  program('screenrecord', withoutRecorder ? 'echo not found >&2; exit 1' : record);
  program('screencap', `exec ffmpeg -nostdin -v error ${input} -frames:v 1 -c:v png -f image2pipe -`);
  program('dumpsys', `echo "  init=180x320 160dpi cur=$(cat ${size}) app=180x300"`);

  const running = new Set<ChildProcess>();
  let recordings = 0;
  const run = (command: string, socket: Parameters<AdbScript>[1]) => {
    const env = { PATH: `${folder}${delimiter}${process.env.PATH}` };
    const child = spawn('sh', ['-c', command], { detached: true, env, stdio: ['pipe', 'pipe', 'ignore'] });
    running.add(child);
    child.stdin.on('error', () => undefined);
    child.stdout.pipe(socket);
    socket.once('close', () => {
      child.stdin.end();
      child.stdout.destroy();
    });
  };
  const server = await scriptedAdb((service, socket) => {
    if (service === 'host:track-devices-l') socket.write(okay(frame(LISTED)));
    else if (service.startsWith('host:transport:')) socket.write(okay());
    else if (service.startsWith('exec:')) {
      if (service.startsWith('exec:screenrecord')) recordings += 1;
      socket.write(okay());
      run(service.slice('exec:'.length), socket);
    } else if (service.startsWith('shell:getprop')) socket.end(okay('15\n'));
    else if (service.startsWith('shell:logcat')) socket.write(okay(LOG));
    else socket.write(okay());
  });
  return {
    serial: SERIAL,
    server,
    recordings: () => recordings,
    isBusy: () => [...running].some(({ pid }) => pid !== undefined && hasProcess(pid)),
    turn: () => turnTo(320, 180),
    close: async () => {
      await server.close();
      for (const { pid } of running) if (pid !== undefined && hasProcess(pid)) process.kill(-pid, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Whether a process of this group runs. A process that has ended but was not collected by its parent does not count.
 */
function hasProcess(group: number): boolean {
  return readdirSync('/proc').some((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      // The name, in parentheses, may contain blanks.
      const [state, , groupId] =
        readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return Number(groupId) === group && state !== 'Z';
    } catch {
      // The process has ended in the meantime.
      return false;
    }
  });
}
