import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { runCommand } from '@svc/client/command';
import {
  type AdbCommand,
  encodeHeader,
  PacketReader,
} from '../../packages/client/src/command/adb/protocol.ts';
import type { KeyPair } from '../support/lab.ts';
import { until } from '../support/records.ts';

/** The side of a local adb server, connected with the port that `svc adb` has opened. */
export interface LocalAdb {
  readonly socket: Socket;
  /** Runs a service. @returns its output, or null if the phone refuses it */
  run(service: string): Promise<string | null>;
}

function packet(command: AdbCommand, first: number, second: number, payload = ''): Buffer {
  const bytes = Buffer.from(payload);
  return Buffer.concat([encodeHeader(command, first, second, bytes.length), bytes]);
}

export async function localAdb(address: string): Promise<LocalAdb> {
  const [host, port] = address.split(':');
  const socket = connect(Number(port), host).on('error', () => undefined);
  const reader = new PacketReader();
  const streams = new Map<number, (output: string | null) => void>();
  const outputs = new Map<number, string>();
  let lastId = 0;
  const signedOn = new Promise<void>((done) => {
    socket.on('data', (bytes) => {
      for (const { command, first, second, payload } of reader.push(bytes)) {
        if (command === 'CNXN') done();
        if (command === 'OKAY') outputs.set(second, outputs.get(second) ?? '');
        if (command === 'WRTE') {
          outputs.set(second, `${outputs.get(second) ?? ''}${Buffer.concat(payload)}`);
          socket.write(packet('OKAY', second, first));
        }
        if (command === 'CLSE') streams.get(second)?.(first === 0 ? null : (outputs.get(second) ?? ''));
      }
    });
  });
  await once(socket, 'connect');
  socket.write(packet('CNXN', 0x01000001, 1024 * 1024, 'host::features=shell_v2'));
  await signedOn;
  return {
    socket,
    run: (service) =>
      new Promise((done) => {
        lastId += 1;
        streams.set(lastId, done);
        socket.write(packet('OPEN', lastId, 0, `${service}\0`));
      }),
  };
}

/** Runs `svc adb` in this process. Resolves when it listens or has ended. */
export async function startAdbCommand(url: string, pair: Pick<KeyPair, 'accessKey' | 'token'>, udid: string) {
  const { shown, ...command } = await startPhoneCommand(url, pair, ['adb', udid], 'adb connect');
  return { ...command, address: /127\.0\.0\.1:\d+/.exec(shown())?.[0] ?? '' };
}

/** Runs `svc adb` or `svc usb` in this process. Resolves when it has printed `ready` or has ended. */
export async function startPhoneCommand(
  url: string,
  { accessKey, token }: Pick<KeyPair, 'accessKey' | 'token'>,
  args: readonly string[],
  ready: string,
) {
  let out = '';
  let err = '';
  const env = { SVC_URL: url, SVC_ACCESS_KEY: accessKey, SVC_TOKEN: token };
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
  };
  let code: number | undefined;
  const exited = runCommand([...args], env, io).then((status) => {
    code = status;
  });
  await until(
    async () => out,
    (text) => text.includes(ready) || code !== undefined,
  );
  return {
    shown: () => out,
    exited,
    code: () => code,
    /** The last line of its errors. */
    sentence: () => err.trim().split('\n').at(-1),
  };
}
