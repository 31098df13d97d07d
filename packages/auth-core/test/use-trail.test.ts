import { memoryStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { Audit } from '../src/audit.ts';
import { UseTrail } from '../src/credentials/use-trail.ts';
import { fakeClock } from '../src/testing/fake-clock.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { BEARER, callerOf, KEY, NOON } from '../src/testing/support.ts';

const HOUR = 60 * 60 * 1000;

describe('use of keys and bearer tokens', () => {
  let clock: ReturnType<typeof fakeClock>;
  let uses: UseTrail;
  let rows: () => { event: string; target: string | null; address: string | null }[];

  beforeEach(() => {
    clock = fakeClock(NOON);
    const stores = memoryStores();
    const audit = new Audit(stores, clock, seededRandom());
    uses = new UseTrail(audit, clock);
    rows = () => {
      audit.flush();
      return stores.audit.page(null, 1000).reverse();
    };
  });

  const use = (credential = KEY, address: string | null = '10.0.0.1') =>
    uses.note(callerOf('Member', undefined, { credential, from: { address, peer: null, requestId: 'r-1' } }));

  it('a key is noted with its owner, its id and where it was used (contract 2, /audit)', () => {
    use();
    expect(rows()).toEqual([
      expect.objectContaining({
        event: 'authn_token_used',
        outcome: 'success',
        actor: 'Member-id',
        target: KEY.id,
        reason: 'key',
        address: '10.0.0.1',
        requestId: 'r-1',
      }),
    ]);
  });

  it('the use of a credential is recorded once an hour for each address (contract 2, /audit)', () => {
    for (let request = 0; request < 100; request += 1) {
      use();
      use(KEY, '10.0.0.2');
      use(BEARER);
    }
    expect(rows()).toHaveLength(3);
    clock.advance(HOUR - 1);
    use();
    expect(rows()).toHaveLength(3);
    clock.advance(1);
    use();
    use();
    expect(rows()).toHaveLength(4);
  });

  it('somebody who names a new address each time fills no trail (contract 2, /audit)', () => {
    for (let request = 0; request < 1000; request += 1) use(KEY, `10.1.${request >> 8}.${request & 255}`);
    expect(rows()).toHaveLength(50);
  });
});
