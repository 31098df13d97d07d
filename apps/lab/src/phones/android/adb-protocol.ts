/** Version of the protocol between the program `adb` and its server in adb 1.0.41. Another version restarts the server. */
export const PROTOCOL_VERSION = '0029';

/** @returns the text after its length as four hexadecimal digits */
export function framed(text: string): string {
  return Buffer.byteLength(text).toString(16).padStart(4, '0') + text;
}

/** Collects requests, which are framed texts. */
export class RequestReader {
  #pending = Buffer.alloc(0);

  push(bytes: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, bytes]);
  }

  /** @returns the next whole request, or undefined if it has not arrived yet */
  next(): string | undefined {
    const length = Number.parseInt(this.#pending.toString('latin1', 0, 4), 16);
    if (!(this.#pending.length >= 4 + length)) return undefined;
    const request = this.#pending.toString('utf8', 4, 4 + length);
    this.#pending = this.#pending.subarray(4 + length);
    return request;
  }

  /** @returns the bytes after the last request */
  rest(): Buffer {
    const rest = this.#pending;
    this.#pending = Buffer.alloc(0);
    return rest;
  }
}
