import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindOf, kindsWanted } from '../src/use/waiting-saved.ts';

const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 300) };
const PIXEL = { platform: 'Android', osVersion: '14', model: 'Pixel 8' };
const GALAXY = { platform: 'Android', osVersion: '13', model: 'Galaxy' };

interface Request {
  /** Time at which the request is made, and for how long it then uses a phone. */
  readonly at: number;
  readonly lasts: number;
}

/** Serves requests with `phones` phones, first come, first served, in steps of one unit of time. */
function served(requests: readonly Request[], phones: number) {
  const free = Array.from({ length: phones }, () => 0);
  const waits = requests.map(({ at, lasts }) => {
    free.sort((a, b) => a - b);
    const begins = Math.max(at, free[0] ?? 0);
    free[0] = begins + lasts;
    return { from: at, to: begins };
  });
  const waited = waits.reduce((sum, { from, to }) => sum + to - from, 0);
  const end = Math.max(0, ...waits.map(({ to }) => to));
  /** What the lab would sum up: in each unit of time, whether one more phone would have served a request. */
  let saved = 0;
  for (let now = 0; now < end; now += 1) {
    const waiting = waits.filter(({ from, to }) => from <= now && now < to);
    const asked = waiting.map(() => ({ usable: () => true }));
    saved += kindsWanted(asked, [PIXEL]).size;
  }
  return { waited, saved };
}

const requests = fc
  .array(fc.record({ at: fc.nat({ max: 60 }), lasts: fc.integer({ min: 1, max: 20 }) }), { maxLength: 25 })
  .map((all) => all.toSorted((a, b) => a.at - b.at));
const phones = fc.integer({ min: 1, max: 5 });

describe('the waiting that one more phone would have saved', () => {
  it('the saved waiting is never more than one more phone really saves when the same requests come again', () => {
    fc.assert(
      fc.property(requests, phones, (all, count) => {
        const before = served(all, count);
        const after = served(all, count + 1);
        expect(before.saved).toBeLessThanOrEqual(before.waited - after.waited);
      }),
      RUNS,
    );
  });

  it('the saved waiting is exact if requests wait one at a time, and nothing if none waits', () => {
    fc.assert(
      fc.property(requests, phones, (all, count) => {
        const { waited, saved } = served(all, count);
        expect(saved === 0).toBe(waited === 0);
        expect(saved).toBeLessThanOrEqual(waited);
      }),
      RUNS,
    );
    expect(
      served(
        [
          { at: 0, lasts: 10 },
          { at: 4, lasts: 10 },
        ],
        1,
      ),
    ).toEqual({ waited: 6, saved: 6 });
  });

  it('the saved waiting counts each kind that a request could use once, however many requests and phones there are', () => {
    const all = [PIXEL, { ...PIXEL }, GALAXY];
    const forAny = { usable: () => true };
    const forGalaxy = { usable: (phone: typeof PIXEL) => phone.model === 'Galaxy' };
    expect([...kindsWanted([forGalaxy, forGalaxy], all)]).toEqual([kindOf(GALAXY)]);
    expect([...kindsWanted([forGalaxy, forAny], all)].toSorted()).toEqual([
      'Galaxy, Android 13',
      'Pixel 8, Android 14',
    ]);
    expect(kindsWanted([], all).size).toBe(0);
    expect(kindOf({ ...PIXEL, model: null })).toBe('Android 14');
  });
});
