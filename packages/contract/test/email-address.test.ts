import { describe, expect, it } from 'vitest';
import { emailKey, exactEmailKey, isEmailAddress } from '../src/email-address.ts';

describe('e-mail addresses', () => {
  it('an address that proves something folds the letters A to Z alone (contract 10.1)', () => {
    expect(exactEmailKey('Kate@Lab.Test')).toBe('kate@lab.test');
    expect(emailKey('\u212Aate@lab.test')).toBe('kate@lab.test');
    expect(exactEmailKey('\u212Aate@lab.test')).not.toBe('kate@lab.test');
  });

  it('an address with characters that stand for others is refused (contract 10.1)', () => {
    for (const email of ['\u212Aate@lab.test', '\uFF4Bate@lab.test', 'o\uFB03ce@lab.test'])
      expect(isEmailAddress(email), email).toBe(false);
    for (const email of ['kate@lab.test', 'jos\u00e9@lab.test', 'jose\u0301@lab.test', 'Kate@Lab.Test'])
      expect(isEmailAddress(email), email).toBe(true);
  });
});
