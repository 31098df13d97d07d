import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Debian's adb server, to which `networkPhone` connects scripted phones. */
export interface RealAdb {
  readonly port: number;
  command(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Waits until the server responds. Fails with a hint if adb is not installed. */
export async function startAdb(port: number): Promise<RealAdb> {
  const home = mkdtempSync(join(tmpdir(), 'svc-adb-'));
  const env = { ...process.env, HOME: home };
  const child: ChildProcess = spawn('adb', ['-P', `${port}`, 'nodaemon', 'server'], { env, stdio: 'ignore' });
  const exited = new Promise<void>((done) => {
    child.once('error', () => done()).once('exit', () => done());
  });
  const command = async (...args: string[]) =>
    (await promisify(execFile)('adb', ['-P', `${port}`, ...args], { env })).stdout;
  const ready = async (): Promise<void> => {
    if (child.exitCode !== null || child.pid === undefined)
      throw new Error('adb does not run: `apt-get install adb` brings it');
    try {
      await answers(port);
    } catch {
      await new Promise(setImmediate);
      await ready();
    }
  };
  await ready();
  return {
    port,
    command,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Connects with a socket, because the adb command would start a server. */
async function answers(port: number): Promise<void> {
  await new Promise<void>((done, failed) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      done();
    }).on('error', failed);
  });
}
