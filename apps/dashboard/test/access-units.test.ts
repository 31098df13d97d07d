import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AccessUnits } from '../src/screen/access-units.ts';

const LONG = [0, 0, 0, 1];
const SHORT = [0, 0, 1];
const SEQUENCE = [0x67, 0x42, 0xc0, 0x1f, 0xaa];
const PICTURE_SET = [0x68, 0xce, 0x3c];
const KEY = [0x65, 0x88, 0x84, 0x01];
/** Slice of a key picture that is not the first one of its picture (`first_mb_in_slice` is not 0). */
const KEY_GOES_ON = [0x65, 0x48, 0x84, 0x02];
const DELTA = [0x41, 0x9a, 0x22, 0x03];

const message = (...parts: readonly number[][]) => Uint8Array.from(parts.flat());
const stream = (...units: readonly number[][]) => units.flatMap((unit) => [...LONG, ...unit]);
const bytesOf = ({ bytes }: { bytes: Uint8Array }) => [...bytes];

describe('AccessUnits', () => {
  it('one message with parameters and a key picture is one unit with its codec (contract 2, h264)', () => {
    const units = new AccessUnits().take(message(LONG, SEQUENCE, SHORT, PICTURE_SET, SHORT, KEY));
    expect(units).toMatchObject([{ isKey: true, codec: 'avc1.42c01f' }]);
    expect(units.map(bytesOf)).toEqual([stream(SEQUENCE, PICTURE_SET, KEY)]);
  });

  it('parameters of a message of their own go ahead of each key picture, never of another', () => {
    const units = new AccessUnits();
    expect(units.take(message(LONG, SEQUENCE, LONG, PICTURE_SET))).toEqual([]);
    expect(units.take(message(LONG, KEY)).map(bytesOf)).toEqual([stream(SEQUENCE, PICTURE_SET, KEY)]);
    expect(units.take(message(LONG, DELTA)).map(bytesOf)).toEqual([stream(DELTA)]);
    expect(units.take(message(LONG, KEY)).map(bytesOf)).toEqual([stream(SEQUENCE, PICTURE_SET, KEY)]);
  });

  it('slices of one picture stay together, pictures of one message come apart', () => {
    const units = new AccessUnits().take(message(LONG, SEQUENCE, LONG, KEY, SHORT, KEY_GOES_ON, LONG, DELTA));
    expect(units.map(({ isKey }) => isKey)).toEqual([true, false]);
    expect(units.map(bytesOf)).toEqual([stream(SEQUENCE, KEY, KEY_GOES_ON), stream(DELTA)]);
  });

  it('nothing comes of pictures ahead of their parameters, of an empty message and of what is none', () => {
    const units = new AccessUnits();
    for (const each of [message(LONG, KEY), message(), message(KEY), message(LONG), message([0, 0])])
      expect(units.take(each)).toEqual([]);
  });

  it('a new sequence of parameters replaces the old ones', () => {
    const units = new AccessUnits();
    units.take(message(LONG, SEQUENCE, LONG, PICTURE_SET));
    const [unit] = units.take(message(LONG, [0x67, 0x64, 0x00, 0x28], LONG, KEY));
    expect(unit).toMatchObject({ codec: 'avc1.640028' });
    expect(bytesOf(unit as never)).toEqual(stream([0x67, 0x64, 0x00, 0x28], KEY));
  });

  it('AccessUnits takes any bytes, and gives no more than came', () => {
    const noise = fc.array(fc.constantFrom(0, 0, 0, 1, 1, 0x41, 0x65, 0x67, 0x68, 0xff), { maxLength: 200 });
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 20 }), (messages) => {
        const units = new AccessUnits();
        for (const each of messages) {
          const pictures = units.take(Uint8Array.from(each));
          expect(pictures.length).toBeLessThanOrEqual(each.length / 4);
        }
      }),
    );
  });
});
