import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { Log } from '@svc/auth-core';
import { KeyFiles } from '../keys/key-files.ts';

/**
 * Compares the signing key in a folder with the list of next and replaced keys beside it. If the two files were copied
 * at different moments of a rotation, the key that signs after the rotation can be missing from both. Every token that
 * it has signed would then be refused.
 * @returns why the files do not belong together, or null if no contradiction was found
 */
export function keyMismatch(folder: string, log: Log): string | null {
  const files = new KeyFiles(folder, { repairsModes: false });
  try {
    const { next, retired } = files.ring(log);
    if (next === null && retired.length === 0) return null;
    const pem = files.current(log);
    if (pem === undefined) return 'signing-keys.json is there without signing-key.pem';
    const { x, y } = createPublicKey(createPrivateKey(pem)).export({ format: 'jwk' });
    const isReplaced = retired.some(({ jwk }) => jwk.x === x && jwk.y === y);
    // In the middle of a rotation, the current key is already listed as replaced. This is no mismatch, because the key
    // that replaces it is still stored as the next key.
    return isReplaced && next === null
      ? 'signing-key.pem is a key that signing-keys.json says was replaced, and the one that replaced it is missing'
      : null;
  } catch (error) {
    return `they cannot be compared: ${error instanceof Error ? error.message : String(error)}`;
  }
}
