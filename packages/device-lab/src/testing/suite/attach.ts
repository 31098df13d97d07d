import { credentialOfKind } from '@svc/auth-core';
import { describe, expect, it } from 'vitest';
import type { AttachAddress } from '../../attach/attach-address.ts';
import { type OpenLabStores, opened } from './opened.ts';

/** An attach address of the account `ana`, which must exist in the stores that `open` opens. */
const ADDRESS: AttachAddress = {
  id: 'a1',
  sessionId: 's1',
  hash: 'h1',
  accountId: 'ana',
  maker: {
    credential: credentialOfKind('key', 'k1', { apiTokenId: 'k1' }),
    scopes: ['read', 'sessions'],
    teamId: null,
    expiresAt: null,
    signInEpoch: 0,
    accessKeyHash: 'x',
  },
  createdAt: 1,
  expiresAt: 60_001,
  lastUse: null,
};

export function attachSuite(open: OpenLabStores): void {
  describe('attach addresses', () => {
    const stores = opened(open);

    it('the store of attach addresses keeps the maker and the last use of each address (contract 15.4)', () => {
      const { attach } = stores();
      attach.insert(ADDRESS);
      const other = { ...ADDRESS, id: 'a2', hash: 'h2', createdAt: 2 };
      attach.insert(other);
      const use = { at: 5, address: '192.0.2.1', userAgent: 'agent' };
      attach.used('a1', use);
      attach.used('unknown', use);
      expect(attach.all()).toEqual([{ ...ADDRESS, lastUse: use }, other]);
      attach.remove('a1');
      attach.remove('a1');
      expect(attach.all()).toEqual([other]);
    });
  });
}
