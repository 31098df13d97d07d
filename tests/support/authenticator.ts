import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Bits of the flags in authenticator data (WebAuthn, section 6.1). */
const PRESENT = 0x01;
const VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const HAS_CREDENTIAL = 0x40;

// biome-ignore lint/suspicious/noExplicitAny: the options are JSON that the server sent.
type Options = any;

/** Ways in which a ceremony deviates from an honest browser and authenticator. */
export interface Deviation {
  /** Origin of the page, by default that of the authenticator. */
  readonly origin?: string;
  /** RP ID whose hash the authenticator signs, by default the one in the options. */
  readonly rpId?: string;
  readonly challenge?: string;
  /** Value of `type` in the client data. */
  readonly type?: string;
  /** Further members of the client data, such as `crossOrigin`. */
  readonly clientData?: Readonly<Record<string, unknown>>;
  /** Whether the authenticator verified the user; true by default. */
  readonly verified?: boolean;
  readonly present?: boolean;
  /** Value of the signature counter. By default, the authenticator counts up. */
  readonly counter?: number;
  readonly userHandle?: string | null;
  /** Attestation format and statement, in CBOR. */
  readonly attestation?: { readonly fmt: string; readonly attStmt: Buffer };
  /** COSE algorithm that the public key states. */
  readonly algorithm?: number;
  readonly credentialId?: string;
}

interface Credential {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly rpId: string;
  readonly userHandle: string;
  counter: number;
}

interface Traits {
  /** Origin of the pages on which the authenticator is used. */
  readonly origin: string;
  /** Whether passkeys are synchronised. Such an authenticator does not count signatures. */
  readonly syncs?: boolean;
}

/** Software authenticator with ES256 keys. It also plays the role of the browser between authenticator and server. */
export class Authenticator {
  readonly #traits: Traits;
  readonly credentials: Credential[] = [];

  constructor(traits: Traits) {
    this.#traits = traits;
  }

  /** @returns a copy with the same keys and counters, which behaves like a stolen copy of the authenticator */
  clone(): Authenticator {
    const copy = new Authenticator(this.#traits);
    copy.credentials.push(...this.credentials.map((each) => ({ ...each })));
    return copy;
  }

  /** @returns the response of `navigator.credentials.create` to these options */
  create(options: Options, deviation: Deviation = {}): object {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const id = deviation.credentialId ?? randomBytes(32).toString('base64url');
    const counter = deviation.counter ?? 0;
    this.credentials.push({ id, privateKey, rpId: options.rp.id, userHandle: options.user.id, counter });
    const { x, y } = publicKey.export({ format: 'jwk' });
    const key = map([
      [integer(1), integer(2)],
      [integer(3), integer(deviation.algorithm ?? -7)],
      [integer(-1), integer(1)],
      [integer(-2), bytes(Buffer.from(x as string, 'base64url'))],
      [integer(-3), bytes(Buffer.from(y as string, 'base64url'))],
    ]);
    const rawId = Buffer.from(id, 'base64url');
    const length = Buffer.from([rawId.length >> 8, rawId.length & 255]);
    const attested = Buffer.concat([Buffer.alloc(16), length, rawId, key]);
    const rpId = deviation.rpId ?? options.rp.id;
    const authData = this.#authData(rpId, HAS_CREDENTIAL, counter, deviation, attested);
    const { fmt, attStmt } = deviation.attestation ?? { fmt: 'none', attStmt: map([]) };
    const object = map([
      [text('fmt'), text(fmt)],
      [text('attStmt'), attStmt],
      [text('authData'), bytes(authData)],
    ]);
    const client = this.#clientData('webauthn.create', options.challenge, deviation);
    const response = {
      clientDataJSON: client.toString('base64url'),
      attestationObject: object.toString('base64url'),
      transports: ['internal'],
    };
    return credentialOf(id, response);
  }

  /** @returns the response of `navigator.credentials.get` to these options, by the newest passkey */
  get(options: Options, deviation: Deviation = {}): object {
    const credential = this.credentials.at(-1);
    if (credential === undefined) throw new Error('the authenticator has no passkey');
    credential.counter = deviation.counter ?? (this.#traits.syncs ? 0 : credential.counter + 1);
    const rpId = deviation.rpId ?? options.rpId;
    const authData = this.#authData(rpId, 0, credential.counter, deviation);
    const client = this.#clientData('webauthn.get', options.challenge, deviation);
    const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()]);
    const response = {
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, credential.privateKey).toString('base64url'),
      userHandle: deviation.userHandle === undefined ? credential.userHandle : deviation.userHandle,
    };
    return credentialOf(deviation.credentialId ?? credential.id, response);
  }

  #clientData(type: string, challenge: string, deviation: Deviation): Buffer {
    const { origin = this.#traits.origin, clientData = {} } = deviation;
    const members = { type: deviation.type ?? type, challenge: deviation.challenge ?? challenge, origin };
    return Buffer.from(JSON.stringify({ ...members, crossOrigin: false, ...clientData }));
  }

  #authData(
    rpId: string,
    flags: number,
    counter: number,
    { present = true, verified = true }: Deviation,
    attested = Buffer.alloc(0),
  ): Buffer {
    const synced = this.#traits.syncs ? BACKUP_ELIGIBLE | BACKED_UP : 0;
    const all = flags | synced | (present ? PRESENT : 0) | (verified ? VERIFIED : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const rpIdHash = createHash('sha256').update(rpId).digest();
    return Buffer.concat([rpIdHash, Buffer.from([all]), count, attested]);
  }
}

function credentialOf(id: string, response: object): object {
  const rest = { type: 'public-key', clientExtensionResults: {}, authenticatorAttachment: 'platform' };
  return { id, rawId: id, response, ...rest };
}

/** Encoding of the parts of CBOR (RFC 8949) that authenticators use. */

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}

function integer(value: number): Buffer {
  return value >= 0 ? head(0, value) : head(1, -1 - value);
}

export function bytes(value: Uint8Array): Buffer {
  return Buffer.concat([head(2, value.length), value]);
}

export function text(value: string): Buffer {
  return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
}

export function list(values: readonly Buffer[]): Buffer {
  return Buffer.concat([head(4, values.length), ...values]);
}

export function map(entries: readonly (readonly [key: Buffer, value: Buffer])[]): Buffer {
  return Buffer.concat([head(5, entries.length), ...entries.flat()]);
}
