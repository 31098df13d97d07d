import { memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Cascade } from '../src/flows/cascade.ts';
import { fakeClock, seededRandom } from '../src/testing/index.ts';
import { GRANT, installation } from '../src/testing/signing.ts';
import { NOON } from '../src/testing/support.ts';
import { longestLife } from '../src/tokens/longest-life.ts';
import { TokenSigner } from '../src/tokens/signer.ts';

const DAY = 24 * 60 * 60;

it('a revocation outlives every token, also one minted while SVC_MCP_TOKEN_TTL_SEC was greater (contract 10.4)', async () => {
  const { ring } = await installation();
  const seconds = (max: number) => fc.integer({ min: 1, max });
  await fc.assert(
    fc.asyncProperty(
      fc.record({ before: seconds(40 * DAY), now: seconds(40 * DAY), revokedAfter: seconds(40 * DAY) }),
      async ({ before, now, revokedAfter }) => {
        const clock = fakeClock(NOON);
        const signer = (life: number) =>
          new TokenSigner(ring, clock, seededRandom(1), 'svc', longestLife(life));
        const { token } = await signer(before).mint({ ...GRANT, aud: 'svc-mcp', lifetime: before });
        clock.advance(revokedAfter * 1000);
        const stores = memoryStores();
        const cascade = new Cascade({ clock, always: true, mcpLifetime: now });
        stores.transaction((tx) => {
          cascade.keyRevoked(tx, { id: 'key', ownerId: 'user-1' }, true);
          cascade.signInEnded(tx, 'sign-in', 'user-1');
        });
        const ends = stores.revocations.all().map(({ expiresAt }) => expiresAt);
        expect(ends).toHaveLength(2);
        clock.advance(Math.min(...ends) - clock.now());
        expect(signer(now).verify(token, ['svc-mcp'])).toBe('expired');
      },
    ),
    { numRuns: 100 },
  );
});

it('a token is valid as long as its claims say while the setting is the same (specification 5.3)', async () => {
  const { ring } = await installation();
  const clock = fakeClock(NOON);
  const signer = () => new TokenSigner(ring, clock, seededRandom(1), 'svc', longestLife(3 * DAY));
  const { token, claims } = await signer().mint({ ...GRANT, aud: 'svc-mcp', lifetime: 3 * DAY });
  clock.advance(3 * DAY * 1000 - 1);
  expect(signer().verify(token, ['svc-mcp'])).toEqual(claims);
  clock.advance(1);
  expect(signer().verify(token, ['svc-mcp'])).toBe('expired');
});
