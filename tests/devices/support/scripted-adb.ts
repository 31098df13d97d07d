import { createServer, type Server, type Socket } from 'node:net';

/** Handles a request to a scripted adb server; without a return value it sends nothing more. */
export type AdbScript = (service: string, socket: Socket) => void;

export const okay = (text = '') => `OKAY${text}`;
export const frame = (text: string) => Buffer.byteLength(text).toString(16).padStart(4, '0') + text;

export interface ScriptedAdb {
  readonly port: number;
  /** Every request so far. */
  readonly asked: readonly string[];
  /** Open connections. */
  readonly open: ReadonlySet<Socket>;
  /** Sends a list of devices to every client that follows them. */
  list(text: string): void;
  close(): Promise<void>;
}

/**
 * Starts an adb server that implements only the part of the protocol that a test needs, possibly incorrectly. It
 * listens on `port`, or on any free port if `port` is 0.
 */
export async function scriptedAdb(script: AdbScript, port = 0): Promise<ScriptedAdb> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const followers = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    let buffered = '';
    socket.on('data', (bytes) => {
      buffered += bytes.toString('latin1');
      for (;;) {
        const length = Number.parseInt(buffered.slice(0, 4), 16);
        if (!(buffered.length >= 4 + length)) return;
        const service = buffered.slice(4, 4 + length);
        buffered = buffered.slice(4 + length);
        asked.push(service);
        if (service === 'host:track-devices-l') followers.add(socket);
        script(service, socket);
      }
    });
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    port: (server.address() as { port: number }).port,
    asked,
    open,
    list: (text) => {
      for (const socket of followers) socket.write(frame(text));
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Returns the script of a correct server that lists `devices`. Each device reports `version`. */
export function wellBehaved(devices: () => string, version = '14'): AdbScript {
  return (service, socket) => {
    if (service === 'host:track-devices-l') socket.write(okay(frame(devices())));
    else if (service.startsWith('host:transport:')) socket.write(okay());
    else if (service.startsWith('shell:')) socket.end(okay(`${version}\n`));
    else socket.end(`FAIL${frame('unknown host service')}`);
  };
}
