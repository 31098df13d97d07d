import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { Random } from '@svc/auth-core';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets that have to be read again later, so that storing a hash is not enough (docs/decisions/0013). It
 * uses AES-256-GCM with a separate key for each purpose, which HKDF-SHA-256 derives from the installation's key.
 */
export class SealingKey {
  readonly #key: Uint8Array;
  readonly #random: Pick<Random, 'bytes'>;

  constructor(installationKey: Uint8Array, purpose: string, random: Pick<Random, 'bytes'>) {
    this.#key = new Uint8Array(hkdfSync('sha256', installationKey, '', `svc sealing: ${purpose}`, 32));
    this.#random = random;
  }

  /**
   * Encrypts a text.
   * @param place name of the place where the sealed text will be stored, such as the id of a row. `open` returns the
   * text only for the same name, so a sealed text that was copied to another place is not accepted
   * @returns the sealed text in Base64
   */
  seal(text: string, place: string): string {
    const nonce = this.#random.bytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce);
    cipher.setAAD(Buffer.from(place));
    const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString('base64');
  }

  /**
   * Decrypts a sealed text.
   * @returns the text, or null if it was sealed with another key or for another place, or if it was changed
   */
  open(sealed: string, place: string): string | null {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8');
      return text + decipher.final('utf8');
    } catch {
      return null;
    }
  }
}
