import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appName } from '../src/apps/app-name.ts';

describe('the name of an upload (contract 2, apps)', () => {
  it.each([
    ['a.apk', 'a.apk'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\apps\\b.ipa', 'b.ipa'],
    ['/..', 'app'],
    ['..', 'app'],
    ['.', 'app'],
    ['', 'app'],
    [undefined, 'app'],
    ['dir/', 'app'],
    ['x\u0000\r\ny.apk', 'xy.apk'],
    ['\u202ekpa.exe', 'kpa.exe'],
    ['lone \ud800.apk', 'lone \ufffd.apk'],
    [`${'n'.repeat(300)}.apk`, `${'n'.repeat(251)}.apk`],
    [`${'n'.repeat(250)}\u{1f4f1}.apk`, `${'n'.repeat(250)}.apk`],
    ['日本語 app.apk', '日本語 app.apk'],
  ])('%j is %j', (given, name) => {
    expect(appName(given)).toBe(name);
  });

  it('the name of an upload never is a path, never has a control character, and is of 1 to 255 characters, whatever is sent (contract 2, apps)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (given) => {
        const name = appName(given);
        expect(name).not.toMatch(/[\\/\p{Cc}\p{Cs}]/u);
        expect(['', '.', '..']).not.toContain(name);
        expect(name.length).toBeLessThanOrEqual(255);
        expect(() => encodeURIComponent(name)).not.toThrow();
      }),
    );
  });
});
