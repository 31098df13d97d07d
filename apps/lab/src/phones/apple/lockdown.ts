import { generateKeyPairSync } from 'node:crypto';
import type { Socket } from 'node:net';
import { dict, textOf } from './plist.ts';

/** Port at which lockdownd of each iPhone listens. */
const LOCKDOWN_PORT = 62_078;
/** Port of the service that sends the system log. On a phone, lockdownd picks a new port for each start. */
const SYSLOG_PORT = 49_200;
const LENGTH_BYTES = 4;

let publicKey: string | undefined;

/** What lockdownd knows of its phone. */
interface LockdownPhone {
  readonly udid: string;
  readonly facts: { readonly name: string; readonly productType: string; readonly osVersion: string };
  followLog(sink: (line: string) => void): () => void;
}

/** lockdownd of a scripted iPhone. Sessions have no TLS. */
export class Lockdown {
  /** Ids of the hosts that the phone trusts. */
  readonly hosts = new Set<string>();
  readonly #phone: LockdownPhone;
  #isLogStarted = false;

  constructor(phone: LockdownPhone) {
    this.#phone = phone;
  }

  isListening(port: number): boolean {
    return port === LOCKDOWN_PORT || (port === SYSLOG_PORT && this.#isLogStarted);
  }

  accept(port: number, socket: Socket): void {
    if (port === LOCKDOWN_PORT) this.#serve(socket);
    else
      socket
        .once(
          'close',
          this.#phone.followLog((line) => socket.write(`${line}\n\0`)),
        )
        .resume();
  }

  #serve(socket: Socket): void {
    let pending = Buffer.alloc(0);
    let hasSession = false;
    socket.on('data', (bytes: Buffer) => {
      pending = Buffer.concat([pending, bytes]);
      while (pending.length >= LENGTH_BYTES) {
        const end = LENGTH_BYTES + pending.readUInt32BE(0);
        if (pending.length < end) return;
        const request = pending.toString('utf8', LENGTH_BYTES, end);
        pending = pending.subarray(end);
        const name = textOf(request, 'Request') ?? '';
        if (name === 'StartSession') hasSession = this.#trusts(request);
        socket.write(framed(dict({ Request: name, ...this.#answer(name, request, hasSession) })));
      }
    });
    socket.resume();
  }

  #answer(name: string, request: string, hasSession: boolean): Record<string, string | number | boolean> {
    switch (name) {
      case 'QueryType':
        return { Type: 'com.apple.mobile.lockdown' };
      case 'GetValue':
        return this.#value(textOf(request, 'Key'), hasSession);
      case 'Pair':
        this.hosts.add(textOf(request, 'HostID') ?? '');
        return {};
      case 'StartSession':
        return hasSession ? { SessionID: 'session', EnableSessionSSL: false } : { Error: 'InvalidHostID' };
      case 'StartService':
        if (!hasSession) return { Error: 'SessionInactive' };
        if (textOf(request, 'Service') !== 'com.apple.syslog_relay') return { Error: 'InvalidService' };
        this.#isLogStarted = true;
        return { Service: 'com.apple.syslog_relay', Port: SYSLOG_PORT };
      default:
        return {};
    }
  }

  #trusts(request: string): boolean {
    return this.hosts.has(textOf(request, 'HostID') ?? '');
  }

  /** Returns a fact of the phone. All of them together are given to trusted hosts alone, as on a phone. */
  #value(key: string | undefined, hasSession: boolean): Record<string, string> {
    const { facts, udid } = this.#phone;
    const values: Readonly<Record<string, string>> = {
      DeviceName: facts.name,
      ProductType: facts.productType,
      ProductVersion: facts.osVersion,
      UniqueDeviceID: udid,
      WiFiAddress: '02:00:00:00:00:00',
    };
    if (key === undefined)
      return { Value: dict({ ...values, ...(hasSession ? { PasswordProtected: false } : {}) }) };
    if (key === 'DevicePublicKey')
      return { Value: `<data>${Buffer.from(devicePublicKey()).toString('base64')}</data>` };
    return key in values ? { Value: values[key] as string } : { Error: 'MissingValue' };
  }
}

/** @returns a key of a phone, with which a host creates the certificate of a pairing */
function devicePublicKey(): string {
  publicKey ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).publicKey;
  return publicKey;
}

function framed(xml: string): Buffer {
  const payload = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0">\n${xml}\n</plist>\n`,
  );
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(payload.length);
  return Buffer.concat([length, payload]);
}
