import { expect, it } from 'vitest';
import { goIosDetails } from '../src/sources/ios/go-ios.ts';

it('a program that cannot be started counts as a phone that cannot be read (contract 2 /devices)', async () => {
  // Node.js throws for this argument, as it does while the file of the program is being replaced.
  expect(await goIosDetails('a\0b', {}, 1_000)).toBe('unreadable');
});
