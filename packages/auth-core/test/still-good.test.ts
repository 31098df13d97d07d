import { memoryStores } from '@svc/store-sqlite/testing';
import { beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { type Account, NO_CREDENTIAL } from '../src/principal.ts';
import {
  type Core,
  credentialOf,
  KINDS,
  type Kind,
  type Shown,
  setUpCore,
  WORD,
  wordFor,
} from '../src/testing/core.ts';
import { type Installation, installation } from '../src/testing/signing.ts';

let here: Installation;
let core: Core;
let user: Account;

beforeAll(async () => {
  here = await installation();
});

beforeEach(() => {
  core = setUpCore(here.ring, memoryStores());
  user = core.addUser('ana', 'Admin');
});

describe('asking again', () => {
  test.each(KINDS)(
    '%s: good while nothing changed, then as a request would find it (contract 2, tickets)',
    async (kind) => {
      const presented = await credentialOf(core, user, kind);
      const caller = await core.verify(presented);
      expect(core.authenticator.stillGood(caller)).toBe(true);
      core.arrange.accounts.update(user.id, { status: 'Inactive' });
      expect(core.authenticator.stillGood(caller)).toBe(false);
      core.arrange.accounts.update(user.id, { status: 'Active' });
      expect(core.authenticator.stillGood(caller)).toBe(true);
      core.arrange.accounts.remove(user.id);
      expect(core.authenticator.stillGood(caller)).toBe(false);
    },
  );

  const ENDINGS: [string, Kind, (presented: Shown) => void][] = [
    [
      'key revoked',
      'key',
      () => core.stores.apiTokens.listOf(user.id).map(({ id }) => core.arrange.apiTokens.revoke(id)),
    ],
    ['access key rotated', 'key', () => core.arrange.accounts.update(user.id, { accessKey: 'svc_new' })],
    ['bearer expired', 'bearer of a key', () => core.clock.advance(3_600_000)],
    [
      'signed out everywhere',
      'bearer of a sign-in',
      () => core.arrange.accounts.update(user.id, { signInEpoch: 1 }),
    ],
    ['signed out', 'sign-in', () => core.arrange.signIns.endAllOf(user.id)],
    ['sign-in idle for its life', 'sign-in', () => core.clock.advance(86_400_000)],
  ];

  test.each(ENDINGS)(
    '%s: no longer good, for a request as for a ticket (contract 2, tickets)',
    async (_, kind, end) => {
      const presented = await credentialOf(core, user, kind);
      const caller = await core.verify(presented);
      end(presented);
      expect(core.authenticator.stillGood(caller)).toBe(false);
      expect(await wordFor(core, presented)).toBe(WORD[kind]);
    },
  );

  it('a role change alone ends nothing (contract 2, tickets)', async () => {
    const caller = await core.verify(await credentialOf(core, user, 'bearer of a sign-in'));
    core.arrange.accounts.update(user.id, { role: 'Member', name: 'Ana' });
    expect(core.authenticator.stillGood(caller)).toBe(true);
    expect(core.authenticator.stillGood({ ...caller, credential: NO_CREDENTIAL })).toBe(true);
  });
});
