import { seededRandom } from '@svc/auth-core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SealingKey } from '../src/sealing/sealing-key.ts';

const KEY = new Uint8Array(32).fill(7);
const sealing = (key = KEY, purpose = 'webhooks', seed = 1) =>
  new SealingKey(key, purpose, seededRandom(seed));

describe('sealed text', () => {
  it('sealed text opens with the key, purpose and place it was sealed with, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, place) => {
        expect(sealing().open(sealing().seal(text, place), place)).toBe(text);
      }),
    );
  });

  it('sealed text does not open with another key or purpose, or in another place', () => {
    const sealed = sealing().seal('https://hooks.example/s3cret', 'a');
    expect(sealed).not.toContain('hooks');
    expect(sealing(new Uint8Array(32).fill(8)).open(sealed, 'a')).toBeNull();
    expect(sealing(KEY, 'other').open(sealed, 'a')).toBeNull();
    expect(sealing().open(sealed, 'b')).toBeNull();
  });

  it('sealed text does not open once a byte of it is changed, or when it is cut', () => {
    const sealed = Buffer.from(sealing().seal('text', 'a'), 'base64');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      expect(sealing().open(changed.toString('base64'), 'a')).toBeNull();
      expect(sealing().open(sealed.subarray(0, at).toString('base64'), 'a')).toBeNull();
    }
  });

  it('sealed text is different each time', () => {
    const key = sealing();
    expect(key.seal('text', 'a')).not.toBe(key.seal('text', 'a'));
  });
});
