import { generateKeyPairSync } from 'node:crypto';
import { Unavailable } from '@svc/auth-core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gridIdOf, SignedSessionIds } from '../src/grid/session-ids.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const signing = new SignedSessionIds({ own: () => privateKey, trusted: () => [] }, 'svc');
const verifying = (issuer = 'svc') =>
  new SignedSessionIds({ own: () => undefined, trusted: () => [publicKey] }, issuer);

describe('the id of a session that says whose it is', () => {
  const gridIds = fc.stringMatching(/^[A-Za-z0-9_-][\w.~-]{0,127}$/);

  it('a session id that names its owner is read back by everyone with the public key, whatever the grid’s id is (contract 7)', () => {
    fc.assert(
      fc.property(gridIds, fc.option(fc.uuid()), (gridId, ownerId) => {
        const id = signing.sign(gridId, ownerId);
        expect(id).toMatch(/^[\w.~-]{1,256}$/);
        expect(verifying().ownerOf(id)).toBe(ownerId);
        expect(gridIdOf(id)).toBe(gridId);
      }),
      { numRuns: 30 },
    );
  });

  it('a session id that names its owner is unknown when any character of it is another one (contract 7)', () => {
    const id = signing.sign('0e984725-c51c-4bf4-9960-e1c80e27aba0', '7b0c2f4e-7f55-4a3e-9c5a-2f1d1c9c0b11');
    for (let at = 0; at < id.length; at++) {
      const other = id[at] === 'A' ? 'B' : 'A';
      expect(verifying().ownerOf(id.slice(0, at) + other + id.slice(at + 1))).toBeUndefined();
    }
    expect(verifying('other').ownerOf(id)).toBeUndefined();
    const forged = new SignedSessionIds({ own: () => stranger, trusted: () => [] }, 'svc');
    expect(verifying().ownerOf(forged.sign('x', null))).toBeUndefined();
  });

  it('a session id that names its owner is unknown once its key is taken away (contract 7)', () => {
    let keys = [publicKey];
    const ids = new SignedSessionIds({ own: () => undefined, trusted: () => keys }, 'svc');
    const id = signing.sign('x', null);
    expect(ids.ownerOf(id)).toBeNull();
    keys = [];
    expect(ids.ownerOf(id)).toBeUndefined();
  });

  it('a session id that names its owner cannot be told, nor remembered, without keys (contract 7)', () => {
    let keys: (() => never) | (() => [typeof publicKey]) = () => [publicKey];
    const ids = new SignedSessionIds({ own: () => undefined, trusted: () => keys() }, 'svc');
    const id = signing.sign('x', null);
    expect(ids.ownerOf(id)).toBeNull();
    keys = () => {
      throw new Unavailable('too old');
    };
    expect(() => ids.ownerOf(id)).toThrow(Unavailable);
    expect(() => ids.sign('x', null)).toThrow(Unavailable);
  });
});
