import { describe, expect, test } from 'vitest';
import { type ClientClock, commandHeaders, SvcError } from '../src/index.ts';

/** Creates a clock that the test advances; timers run when their time has passed. */
function fakeClock() {
  let now = 1_000_000;
  let timers: { at: number; task: () => void }[] = [];
  const clock: ClientClock = {
    now: () => now,
    after(ms, task) {
      const timer = { at: now + ms, task };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
  };
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return {
    clock,
    waiting: () => timers.length,
    /** Advances the time without running timers, as on a machine that sleeps. */
    sleep: (ms: number) => {
      now += ms;
    },
    async pass(ms: number) {
      const until = now + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        now = Math.max(now, next.at);
        timers = timers.filter((each) => each !== next);
        next.task();
        await settle();
      }
      now = until;
    },
  };
}

function issuer(expiresIn: number) {
  let asked = 0;
  let failing = false;
  return {
    asked: () => asked,
    fail: (on: boolean) => {
      failing = on;
    },
    issue: async () => {
      asked += 1;
      if (failing) throw new Error('away');
      return { token: `t${asked}`, expiresIn };
    },
  };
}

const HOUR = 3_600_000;
const MINUTE = 60_000;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('a bearer token', () => {
  test('a bearer token is renewed five minutes before an hour ends, without anybody asking (spec 5.3)', async () => {
    const time = fakeClock();
    const source = issuer(3600);
    const headers = commandHeaders({ issue: source.issue, clock: time.clock });
    expect(await headers.ready()).toEqual(bearer('t1'));
    await time.pass(HOUR - 5 * MINUTE - 1);
    expect(headers.current()).toEqual(bearer('t1'));
    expect(source.asked()).toBe(1);
    await time.pass(1);
    expect(headers.current()).toEqual(bearer('t2'));
    await time.pass(10 * HOUR);
    expect(headers.current()).toEqual(bearer(`t${source.asked()}`));
    expect(source.asked()).toBeGreaterThan(10);
  });

  test('a short one is renewed in its last quarter (spec 5.3)', async () => {
    const time = fakeClock();
    const source = issuer(8);
    const headers = commandHeaders({ issue: source.issue, clock: time.clock });
    await headers.ready();
    await time.pass(5_999);
    expect(source.asked()).toBe(1);
    await time.pass(1);
    expect(source.asked()).toBe(2);
  });

  test('however many ask, one request is in flight (spec 5.3)', async () => {
    const time = fakeClock();
    const source = issuer(3600);
    const headers = commandHeaders({ issue: source.issue, clock: time.clock });
    const all = await Promise.all([headers.ready(), headers.ready(), headers.ready()]);
    expect(all).toEqual([bearer('t1'), bearer('t1'), bearer('t1')]);
    time.sleep(HOUR - MINUTE);
    expect(headers.current()).toEqual(bearer('t1'));
    expect(await Promise.all([headers.ready(), headers.ready()])).toEqual([bearer('t2'), bearer('t2')]);
    expect(source.asked()).toBe(2);
  });

  test('a renewal that fails is tried again while the old token is good (spec 5.3)', async () => {
    const time = fakeClock();
    const source = issuer(3600);
    const headers = commandHeaders({ issue: source.issue, clock: time.clock });
    await headers.ready();
    source.fail(true);
    await time.pass(HOUR - 4 * MINUTE);
    expect(source.asked()).toBeGreaterThan(3);
    expect(headers.current()).toEqual(bearer('t1'));
    expect(await headers.ready()).toEqual(bearer('t1'));
    source.fail(false);
    await time.pass(MINUTE);
    expect(headers.current()).toEqual(bearer(`t${source.asked()}`));
  });

  test('an ended token is never answered: it would read as an unknown session (contract 7)', async () => {
    const time = fakeClock();
    const source = issuer(3600);
    const headers = commandHeaders({ issue: source.issue, clock: time.clock });
    await headers.ready();
    source.fail(true);
    await time.pass(HOUR);
    expect(() => headers.current()).toThrow(SvcError);
    expect(() => headers.current()).toThrow(/has ended/);
    await expect(headers.ready()).rejects.toThrow('away');
    source.fail(false);
    expect(await headers.ready()).toEqual(bearer(`t${source.asked()}`));
  });

  test('a machine that slept past the end gets a new one from ready() (spec 5.3)', async () => {
    const time = fakeClock();
    const source = issuer(3600);
    const headers = commandHeaders({ issue: source.issue, clock: time.clock });
    await headers.ready();
    time.sleep(2 * HOUR);
    expect(() => headers.current()).toThrow(/has ended/);
    expect(await headers.ready()).toEqual(bearer('t2'));
  });

  test('the lifetime of a bearer token is counted from before the request (spec 5.3)', async () => {
    const time = fakeClock();
    const headers = commandHeaders({
      clock: time.clock,
      issue: async () => {
        time.sleep(30_000);
        return { token: 'late', expiresIn: 30 };
      },
    });
    await headers.ready();
    expect(() => headers.current()).toThrow(/has ended/);
  });

  test('a bearer token says so when nobody waited for the first one (spec 5.3)', () => {
    const headers = commandHeaders({ issue: issuer(60).issue, clock: fakeClock().clock });
    expect(() => headers.current()).toThrow(/await ready\(\)/);
  });

  test('stop() ends the renewals, also of one that is under way (spec 5.3)', async () => {
    const time = fakeClock();
    const headers = commandHeaders({ issue: issuer(60).issue, clock: time.clock });
    await headers.ready();
    headers.stop();
    expect(time.waiting()).toBe(0);
    const late = commandHeaders({ issue: issuer(60).issue, clock: time.clock });
    const first = late.ready();
    late.stop();
    await first;
    expect(time.waiting()).toBe(0);
  });
});

describe('a key pair', () => {
  test('a key pair is its two headers (spec 5.7.2)', async () => {
    const headers = commandHeaders({ accessKey: 'svc_k', token: 'svct_t' });
    expect(headers.current()).toEqual({ 'x-svc-access-key': 'svc_k', 'x-svc-token': 'svct_t' });
    expect(await headers.ready()).toBe(headers.current());
    expect(headers.names).toEqual(['x-svc-access-key', 'x-svc-token']);
  });

  test('half a pair is refused before it is sent (contract 1)', () => {
    expect(() => commandHeaders({ accessKey: 'svc_k', token: '' })).toThrow('token is missing');
    expect(() => commandHeaders({ accessKey: undefined as never, token: 't' })).toThrow(
      'accessKey is missing',
    );
  });
});
