import { type Log, signingKey } from '@svc/auth-core';
import { EMPTY_RING, type KeyFiles, newKeyPem, type RetiredKeyFile, type RingFile } from './key-files.ts';

/** Keys that may still verify; nodes take 16 of a key set. */
const MOST_RETIRED = 8;

/** Why a change of keys is refused; for the person at the terminal. */
export class RotationRefused extends Error {}

interface Moment {
  readonly now: number;
  /** How long a token lives at most, in ms. */
  readonly longestLifeMs: number;
}

/** The next key is made and published from now on; `useFrom`: when it begins to sign. */
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
 * Makes the next key the current one when its time has come, and forgets keys whose last token has ended. Each step
 * leaves files a server can start on: the old key is kept for verifying before the new one takes its place.
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
  // After a crash between the steps it is the current one already.
  const old: RetiredKeyFile[] =
    jwk === undefined || jwk.kid === kid ? [] : [{ jwk, until: now + longestLifeMs }];
  const kept = [...old, ...retired.filter((key) => key.jwk.kid !== jwk?.kid)];
  if (old.length > 0) files.replaceRing({ next, retired: kept });
  files.replaceCurrent(next.pem);
  files.replaceRing({ next: null, retired: kept });
  return true;
}

/**
 * The current key was stolen, or one before it: nothing but a new key signs and verifies from now on. The files of all
 * others go first, so that a crash in between leaves none of them.
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
