import {
  type Core,
  credentialOf,
  type Installation,
  installation,
  KINDS,
  setUpCore,
  silentLog,
} from '@svc/auth-core/testing';
import { memoryStores } from '@svc/store-sqlite/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { OpenConnections } from '../src/open-connections.ts';

let here: Installation;

beforeAll(async () => {
  here = await installation();
});

describe.each(KINDS)('an open connection of a %s', (kind) => {
  it('an open connection has no scopes beyond the current ones of its credential, and all of a sign-in (specification 6, contract 3.2)', async () => {
    const core: Core = setUpCore(here.ring, memoryStores());
    const user = core.addUser('ana', 'Admin');
    core.arrange.accounts.update(user.id, { role: 'Member' });
    const shown = await credentialOf(core, user, kind);
    const connections = new OpenConnections({ ...core, log: silentLog() });
    const caller = await core.verify(shown);
    const opened = connections.add({ caller, refusal: () => null, close: () => undefined });
    for (const role of ['Member', 'Admin', 'Super admin', 'Member', 'Admin'] as const) {
      core.arrange.accounts.update(user.id, { role });
      const { scopes } = await core.verify(shown);
      const now = opened.current()?.scopes ?? Number.NaN;
      if (kind === 'sign-in') expect(now).toBe(scopes);
      expect(now & ~scopes).toBe(0);
    }
    opened.forget();
  });
});
