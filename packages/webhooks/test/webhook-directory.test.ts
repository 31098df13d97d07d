import { Audit, type Caller, NO_CREDENTIAL, Refusal, scopeSet } from '@svc/auth-core';
import { fakeClock, sampleAccount, seededRandom } from '@svc/auth-core/testing';
import { labStores, memoryStores } from '@svc/store-sqlite/testing';
import { expect, it } from 'vitest';
import type { WebhookSender } from '../src/webhook.ts';
import { WebhookDirectory } from '../src/webhook-directory.ts';

it('none is made by an Admin who is none any more once its host is resolved (contract 2, /webhook)', async () => {
  const stores = memoryStores();
  const clock = fakeClock();
  const random = seededRandom(1);
  const account = sampleAccount('ana', { role: 'Admin' });
  stores.transaction((tx) => tx.accounts.insert(account));
  let meanwhile = () => {};
  const sender: WebhookSender = {
    check: async () => meanwhile(),
    send: async () => ({ status: 204, error: null }),
  };
  const webhooks = labStores({ loose: false }).webhooks;
  const directory = new WebhookDirectory({
    webhooks,
    sender,
    queue: { again: (delivery) => delivery },
    stores,
    authenticator: { checkStillGood: () => undefined },
    audit: new Audit(stores, clock, random),
    clock,
    random,
    messages: { publicUrl: null, sessionOwner: () => null },
  });
  const caller = {
    account,
    credential: NO_CREDENTIAL,
    scopes: scopeSet(['admin']),
    expiresAt: null,
    grantsUntil: null,
    teamId: null,
    extended: false,
    from: { peer: null, address: null, sender: 'x' },
  } as unknown as Caller;
  const input = { url: 'https://hooks.example.org/', events: ['device_new'] } as const;
  await directory.create(caller, input);
  meanwhile = () => stores.transaction((tx) => tx.accounts.update(account.id, { role: 'Member' }));
  await expect(directory.create(caller, input)).rejects.toThrow(Refusal);
  expect(webhooks.all()).toHaveLength(1);
  const [{ id = '' } = {}] = webhooks.all();
  await expect(directory.update(caller, id, { paused: true })).rejects.toThrow(Refusal);
  expect(webhooks.byId(id)?.isPaused).toBe(false);
});
