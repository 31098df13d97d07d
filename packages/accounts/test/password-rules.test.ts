import { outcomeOf, refusalOf } from '@svc/auth-core/testing';
import { isUsablePassword } from '@svc/settings';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { checkNewPassword, checkNotCommon } from '../src/passwords/password-rules.ts';

const TOO_SHORT = 'password must be at least 8 characters';
const TOO_LONG = 'password is too long';
const UNUSABLE = 'password has an unusable character';

describe('new passwords', () => {
  test.each([
    ['eight characters', '12345678', undefined],
    ['seven characters', '1234567', TOO_SHORT],
    ['nothing', '', TOO_SHORT],
    ['eight spaces', '        ', undefined],
    ['eight emoji, 32 bytes', '🔑'.repeat(8), undefined],
    ['four emoji, eight UTF-16 units', '🔑'.repeat(4), TOO_SHORT],
    ['seven emoji, 28 bytes', '🔑'.repeat(7), TOO_SHORT],
    ['eight letters, 16 bytes', 'пароль12', undefined],
    ['72 bytes', 'x'.repeat(72), undefined],
    ['73 bytes', 'x'.repeat(73), TOO_LONG],
    ['72 bytes in 36 characters', 'é'.repeat(36), undefined],
    ['74 bytes in 37 characters', 'é'.repeat(37), TOO_LONG],
    ['72 bytes in 18 emoji', '🔑'.repeat(18), undefined],
    ['76 bytes in 19 emoji', '🔑'.repeat(19), TOO_LONG],
    ['a NUL inside', '1234\u00005678', UNUSABLE],
    ['a NUL at the end', '12345678\0', UNUSABLE],
    ['a NUL in a short one', '123\0', TOO_SHORT],
    ['a NUL in a long one', `${'x'.repeat(72)}\0`, TOO_LONG],
  ])('%s (spec 5.9.5, contract 4)', (_, password, refusal) => {
    expect(outcomeOf(() => checkNewPassword(password))).toBe(refusal);
  });

  it('a new password that is not text is refused as too short, and every refusal is a 400 (contract 2, reset-password)', () => {
    for (const value of [undefined, null, 12345678, ['12345678'], { length: 8 }]) {
      expect(refusalOf(() => checkNewPassword(value))).toMatchObject({ code: TOO_SHORT, status: 400 });
    }
    expect(refusalOf(() => checkNewPassword('x'.repeat(100))).status).toBe(400);
  });

  it('a new password on the list of common passwords is refused, unless there is no list (contract 4)', () => {
    const common = (password: string) => password === 'password';
    expect(refusalOf(() => checkNotCommon('password', common))).toMatchObject({
      code: 'password is too common',
      status: 400,
    });
    expect(outcomeOf(() => checkNotCommon('correct horse', common))).toBeUndefined();
    expect(outcomeOf(() => checkNotCommon('password', undefined))).toBeUndefined();
  });

  it('every password that may be set is compared in its whole length (contract 4)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (password) => {
        const set = outcomeOf(() => checkNewPassword(password)) === undefined;
        const bytes = Buffer.byteLength(password);
        expect(isUsablePassword(password)).toBe(bytes <= 72 && !password.includes('\0'));
        expect(set).toBe([...password].length >= 8 && isUsablePassword(password));
      }),
    );
  });
});
