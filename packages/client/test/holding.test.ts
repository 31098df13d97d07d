import { describe, expect, it } from 'vitest';
import { watch } from '../src/command/phone/holding.ts';
import { SvcError } from '../src/error.ts';

const ABOUT = { features: [], name: 'p' };
const refused = (status: number, code: SvcError['code']) =>
  new SvcError({ status, code, requestId: null, message: 'refused' });

/** Watches a lab whose answers follow from the time (ms). @returns when and why the watch ended, and all pauses */
async function watched(answer: (now: number) => unknown, longestMs = 600_000) {
  const stop = new AbortController();
  const pauses: number[] = [];
  const ends: { at: number; reason: string }[] = [];
  let now = 0;
  const lab = {
    about: async () => {
      const given = answer(now);
      if (given instanceof Error) throw given;
      return ABOUT;
    },
  };
  const waiting = {
    now: () => now,
    pause: async (ms: number) => {
      pauses.push(ms);
      now += ms;
      if (now >= longestMs) stop.abort();
    },
  };
  const end = (reason: string) => {
    ends.push({ at: now, reason });
    stop.abort();
  };
  await watch(lab, end, stop.signal, waiting);
  return { ends, pauses, now };
}

describe('the connection of svc adb and svc usb with the lab', () => {
  const broken = new Error('connect ECONNREFUSED');

  it('a lab that cannot be reached for 60 s ends the command, and not before (contract 16.1)', async () => {
    const { ends, pauses } = await watched((now) => (now >= 10_000 ? broken : null));
    expect(ends).toEqual([{ at: 71_000, reason: 'the lab cannot be reached' }]);
    expect([...new Set(pauses)]).toEqual([5_000, 1_000]);
  });

  it('a lab that is back within 60 s does not end the command, however often it goes (contract 16.1)', async () => {
    const { ends, now } = await watched((at) => (at % 70_000 < 59_000 ? broken : null));
    expect([ends, now]).toEqual([[], 600_000]);
  });

  it('five refusals in a row end the command, and fewer do not (contract 16.1)', async () => {
    const no = refused(409, 'device_not_yours');
    expect((await watched(() => no)).ends).toEqual([
      { at: 4_000, reason: 'the lab refuses it (device_not_yours)' },
    ]);
    let asked = 0;
    expect((await watched(() => (++asked % 5 === 0 ? null : no))).ends).toEqual([]);
  });

  it('a rate limit or an error of the lab is no refusal (contract 16.1)', async () => {
    for (const error of [refused(429, 'rate limit exceeded'), refused(503, 'unavailable')]) {
      expect((await watched((now) => (now < 30_000 ? error : null))).ends).toEqual([]);
      expect((await watched(() => error)).ends).toEqual([
        { at: 61_000, reason: 'the lab cannot be reached' },
      ]);
    }
  });
});
