import { type Log, signingKey } from '@svc/auth-core';
import { EMPTY_RING, type KeyFiles, newKeyPem, type RetiredKeyFile, type RingFile } from './key-files.ts';

/**
 * Maximum number of replaced keys that still verify tokens. It is well below 16, because a node accepts at most 16
 * public keys of its hub.
 */
const MOST_RETIRED = 8;

/** Thrown if the keys cannot be changed now. The message is for the person at the terminal. */
export class RotationRefused extends Error {}

interface Moment {
  readonly now: number;
  /** Longest life of a token in ms. */
  readonly longestLifeMs: number;
}

/**
 * Creates and publishes the next key.
 * @param useFrom time from which the key signs, in ms since 1970
 * @returns the id of the key
 */
export async function announceNext(files: KeyFiles, useFrom: number, log: Log): Promise<string> {
  const ring = files.ring(log);
  if (ring.next !== null)
    throw new RotationRefused(
      `A rotation is under way: the next key signs from ${new Date(ring.next.useFrom).toISOString()}.`,
    );
  if (ring.retired.length >= MOST_RETIRED)
    throw new RotationRefused(
      `${MOST_RETIRED} replaced keys still verify tokens; the first of them ends at ${earliest(ring)}.`,
    );
  const pem = newKeyPem();
  files.replaceRing({ ...ring, next: { pem, useFrom } });
  return (await signingKey(pem)).kid;
}

/**
 * Activates the next key when its time has come, and drops keys whose last token has expired. The old key is added to
 * the verifying keys before the new key replaces it, so that after a crash between the steps no key is missing.
 * @returns whether a file was changed
 */
export async function advance(files: KeyFiles, { now, longestLifeMs }: Moment, log: Log): Promise<boolean> {
  const ring = files.ring(log);
  const { next } = ring;
  const retired = ring.retired.filter(({ until }) => now < until);
  if (next === null || now < next.useFrom) {
    if (retired.length === ring.retired.length) return false;
    files.replaceRing({ next, retired });
    return true;
  }
  const pem = files.current(log);
  const jwk = pem === undefined ? undefined : (await signingKey(pem)).jwk;
  const { kid } = await signingKey(next.pem);
  // After a crash between the steps, the next key may already be the current one, which must not be listed as replaced.
  const old: RetiredKeyFile[] =
    jwk === undefined || jwk.kid === kid ? [] : [{ jwk, until: now + longestLifeMs }];
  const kept = [...old, ...retired.filter((key) => key.jwk.kid !== jwk?.kid)];
  if (old.length > 0) files.replaceRing({ next, retired: kept });
  files.replaceCurrent(next.pem);
  files.replaceRing({ next: null, retired: kept });
  return true;
}

/**
 * Replaces all keys by a new one after a key was stolen, so that only the new key signs and verifies. The file with the
 * next and the replaced keys is emptied first, so that no old key remains in it after a crash.
 * @returns the id of the new key
 */
export async function dropAll(files: KeyFiles): Promise<string> {
  files.replaceRing(EMPTY_RING);
  const pem = newKeyPem();
  files.replaceCurrent(pem);
  return (await signingKey(pem)).kid;
}

function earliest({ retired }: RingFile): string {
  return new Date(Math.min(...retired.map(({ until }) => until))).toISOString();
}
