import { sampleAccount } from '@svc/auth-core/testing';
import { expect, it } from 'vitest';
import { eachTestItsPlace } from './place.ts';

const place = eachTestItsPlace();
const MANY = 100_000;

async function fastestStart(file: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 5; run += 1) {
    const begin = performance.now();
    const store = await place().open({ file });
    times.push(performance.now() - begin);
    store.close();
  }
  return Math.min(...times);
}

it('starts as fast with a hundred thousand tokens as with none', { timeout: 60_000 }, async () => {
  const store = await place().open();
  store.accounts.insert(sampleAccount('ann'));
  const raw = place().raw();
  raw.exec(`
    with recursive many(n) as (select 1 union all select n + 1 from many where n < ${MANY})
    insert into api_tokens (id, owner_id, hash, kind, name, scopes, rate_limit, created_at)
    select printf('id-%d', n), accounts.id, printf('%064x', n), 'profile', 'ci', 'read', 300, n from many, accounts
  `);
  expect(store.apiTokens.byHash('1'.padStart(64, '0'))?.id).toBe('id-1');
  store.close();
  const none = await fastestStart(`${place().file}-none`);
  const many = await fastestStart(place().file);
  // To read them all takes hundreds of milliseconds.
  expect(many).toBeLessThan(none + 50);
});
