import { expect, it } from 'vitest';
import { ADMIN, openService } from './support/service.ts';

const USUAL = { SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '5' };

it('no flood of other rows makes a restart forget where people sign in from (contract 4)', async () => {
  const before = await openService(USUAL);
  await before.signIn(ADMIN.email, ADMIN.password, '203.0.113.9');
  const { dataDir } = before;
  const { stores, random, clock } = before.services;
  stores.transaction((tx) => {
    for (let row = 0; row < 3000; row += 1)
      tx.audit.append({
        id: random.uuid(),
        at: clock.now(),
        event: 'authn_login_fail',
        outcome: 'failure',
        actor: null,
        target: null,
        address: '198.51.100.1',
        peer: '198.51.100.1',
        requestId: null,
        reason: 'unknown e-mail',
      });
  });
  await before.close();
  const service = await openService({ ...USUAL, SVC_DATA_DIR: dataDir });
  let guesses = 0;
  for (let status = 401; status === 401 && guesses < 250; guesses += 1) {
    const json = { email: ADMIN.email, password: 'a guess' };
    ({ status } = await service.ask('/auth/login', { json, from: `198.51.100.${guesses}` }));
  }
  const at = async (from: string) => (await service.ask('/auth/login', { json: ADMIN, from })).status;
  expect([await at('203.0.113.10'), await at('203.0.113.9')]).toEqual([429, 204]);
});
