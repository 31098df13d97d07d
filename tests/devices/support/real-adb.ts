import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Debian's adb server with a phone. The phone is a program that implements the protocol of adbd, so that the server
 * lists it like a real phone.
 */

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
  const { connect } = await import('node:net');
  await new Promise<void>((done, failed) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      done();
    }).on('error', failed);
  });
}

const SIGN_ON = 0x4e584e43;
const OPEN = 0x4e45504f;
const READY = 0x59414b4f;
const CLOSE = 0x45534c43;
const WRITE = 0x45545257;

export interface ScriptedPhone {
  /** The serial number under which the adb server lists the phone. */
  readonly serial: string;
  /** Disconnects the phone. */
  unplug(): Promise<void>;
}

/**
 * Creates a phone on the network, which `adb connect <serial>` connects. It responds to every shell command with
 * `output`.
 */
export async function scriptedPhone(model: string, output: string): Promise<ScriptedPhone> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let buffered = Buffer.alloc(0);
    const send = (command: number, from: number, to: number, payload = Buffer.alloc(0)) => {
      const head = Buffer.alloc(24);
      const sum = payload.reduce((total, byte) => total + byte, 0) >>> 0;
      const fields = [command, from, to, payload.length, sum, (command ^ 0xffffffff) >>> 0];
      for (const [index, field] of fields.entries()) head.writeUInt32LE(field, index * 4);
      socket.write(Buffer.concat([head, payload]));
    };
    const handle = (command: number, from: number) => {
      if (command === SIGN_ON)
        send(
          SIGN_ON,
          0x01000000,
          4096,
          Buffer.from(`device::ro.product.name=scripted;ro.product.model=${model};`),
        );
      if (command === OPEN) {
        send(READY, 1, from);
        send(WRITE, 1, from, Buffer.from(output));
        send(CLOSE, 1, from);
      }
    };
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        buffered = Buffer.concat([buffered, bytes]);
        while (buffered.length >= 24 && buffered.length >= 24 + buffered.readUInt32LE(12)) {
          const [command, from] = [buffered.readUInt32LE(0), buffered.readUInt32LE(4)];
          buffered = buffered.subarray(24 + buffered.readUInt32LE(12));
          handle(command, from);
        }
      });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  return {
    serial: `127.0.0.1:${port}`,
    unplug: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
