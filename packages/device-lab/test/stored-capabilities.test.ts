import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MOST_CAPABILITIES, storedCapabilities } from '../src/session-record.ts';

const words = (kib: number) => Array.from({ length: kib }, () => 'a b '.repeat(256));

it('the largest capabilities of a session are not stored beyond 64 KiB, and the record names them (contract 2)', () => {
  const small = { platformName: 'Android', 'appium:udid': 'p', webSocketUrl: 'ws://lab/session/s' };
  expect(storedCapabilities(small)).toEqual(small);
  const fits = { ...small, 'appium:notes': words(60) };
  expect(storedCapabilities(fits)).toEqual(fits);
  const stored = storedCapabilities({
    'appium:huge': words(300),
    ...small,
    'appium:notes': words(40),
    'appium:more': words(30),
    'svc:leftOut': 'of the client',
    'appium:token': 'svct_secret',
  });
  expect(stored).toEqual({
    ...small,
    'appium:more': words(30),
    'appium:token': expect.not.stringContaining('secret'),
    'svc:leftOut': { count: 2, names: ['appium:huge', 'appium:notes'] },
  });
});

it('stored capabilities never exceed their bound, and every small capability beside large ones is kept (contract 2)', () => {
  const char = fc.constantFrom('a', '"', '\u0000', 'é', '\ud800');
  const entry = fc.record({ char, name: fc.integer({ min: 1, max: 3_000 }), texts: fc.nat({ max: 40 }) });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 60 }), (entries) => {
      const drawn = Object.fromEntries(
        entries.map(({ char, name, texts }, index) => [`${index}${char.repeat(name)}`, words(texts)]),
      );
      const stored = storedCapabilities({ ...drawn, 'appium:huge': words(70), 'appium:udid': 'p' });
      expect(JSON.stringify(stored).length).toBeLessThanOrEqual(MOST_CAPABILITIES);
      expect(stored['svc:leftOut']).toMatchObject({ count: expect.any(Number) });
      expect(stored['appium:udid']).toBe('p');
    }),
    { numRuns: 50 },
  );
});
