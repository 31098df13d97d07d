import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QUEUE_BOUNDS, type Turn, TurnQueue } from '../src/queue/turn-queue.ts';

const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) };

interface Waiter extends Turn {
  readonly name: number;
  readonly wants: readonly number[];
}

/** Phones for which waiters compete. Checks the order of the queue at every step. */
class World {
  readonly queue = new TurnQueue<Waiter>({ all: 12, ofOne: 4 });
  readonly heldBy = new Map<number, number>();
  readonly ends = new Map<number, 'served' | 'timeout' | 'left' | 'full'>();
  readonly waiters: Waiter[] = [];
  now = 0;

  arrive(wants: readonly number[], account: string | null, seconds: number): void {
    this.queue.pass(this.now);
    const name = this.waiters.length;
    const waiter: Waiter = {
      name,
      wants,
      countedAs: account,
      since: this.now,
      until: this.now + seconds,
      attempt: (isLast) => {
        expect(this.ends.has(name)).toBe(false);
        const phone = wants.find((each) => !this.heldBy.has(each));
        if (phone !== undefined) {
          this.#checkOrder(waiter, phone);
          this.heldBy.set(phone, name);
          this.ends.set(name, 'served');
          return false;
        }
        if (isLast) this.ends.set(name, 'timeout');
        return !isLast;
      },
    };
    this.waiters.push(waiter);
    if (!this.queue.add(waiter)) this.ends.set(name, 'full');
  }

  leave(waiter: Waiter | undefined): void {
    if (waiter !== undefined && this.queue.remove(waiter)) this.ends.set(waiter.name, 'left');
  }

  free(phone: number): void {
    this.heldBy.delete(phone);
    this.queue.pass(this.now);
  }

  /** Checks that no earlier request of the same account still waits for the phone. */
  #checkOrder(waiter: Waiter, phone: number): void {
    const earlier = this.waiters.filter(
      ({ name, countedAs }) => name < waiter.name && countedAs === waiter.countedAs && !this.ends.has(name),
    );
    expect(earlier.filter(({ wants, until }) => wants.includes(phone) && until > this.now)).toEqual([]);
  }
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant('arrive' as const),
    wants: fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 4 }),
    account: fc.constantFrom('ana', 'bob', null),
    seconds: fc.integer({ min: 1, max: 20 }),
  }),
  fc.record({ kind: fc.constant('free' as const), phone: fc.nat(3) }),
  fc.record({ kind: fc.constant('leave' as const), at: fc.nat(40) }),
  fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 1, max: 5 }) }),
);

describe('a queue under random arrivals, ends, aborts and time', () => {
  it('the queue of phones gives no phone twice, keeps the order for each phone, and loses no one (contract 13)', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const world = new World();
        for (const each of steps) {
          if (each.kind === 'arrive') world.arrive(each.wants, each.account, each.seconds);
          else if (each.kind === 'free') world.free(each.phone);
          else if (each.kind === 'leave') world.leave(world.queue.list()[each.at]);
          else {
            world.now += each.seconds;
            world.queue.pass(world.now);
          }
          const open = world.waiters.filter(({ name }) => !world.ends.has(name));
          expect(world.queue.list()).toEqual(open);
          expect(open.every(({ until }) => until > world.now || each.kind !== 'time')).toBe(true);
        }
        // Check that no request starves: when phones become free, all waiters are served in the order of the queue.
        for (const { wants, name } of world.queue.list()) {
          for (const phone of wants) world.free(phone);
          expect(world.ends.get(name)).toBe('served');
        }
        expect(world.queue.size).toBe(0);
      }),
      RUNS,
    );
  });

  it('the queue of phones holds at most 256 creates, and 16 of one account; a create that leaves makes room', () => {
    expect(QUEUE_BOUNDS).toEqual({ all: 256, ofOne: 16 });
    const queue = new TurnQueue();
    const turnOf = (countedAs: string | null): Turn => ({
      countedAs,
      since: 0,
      until: 1,
      attempt: () => true,
    });
    const own = Array.from({ length: 16 }, () => turnOf('ana'));
    for (const each of own) expect(queue.add(each)).toBe(true);
    expect(queue.add(turnOf('ana'))).toBe(false);
    queue.remove(own[3] as Turn);
    expect(queue.remove(own[3] as Turn)).toBe(false);
    expect(queue.add(turnOf('ana'))).toBe(true);
    expect(queue.add(turnOf('ana'))).toBe(false);
    for (let count = queue.size; count < 256; count += 1) expect(queue.add(turnOf(null))).toBe(true);
    expect([queue.add(turnOf(null)), queue.add(turnOf('bob')), queue.size]).toEqual([false, false, 256]);
  });

  it.each([
    ['one account with many requests and one with one', 'aaaab', 'abaaa'],
    ['accounts in turn', 'aaabbc', 'abcaba'],
    ['requests without an account, which share their rounds', '---a', '-a--'],
  ])('the queue of phones serves rounds by account (contract 13): %s', (_, arrivals, served) => {
    const queue = new TurnQueue();
    let order = '';
    for (const account of arrivals)
      queue.add({
        countedAs: account === '-' ? null : account,
        since: 0,
        until: 1_000,
        attempt: () => {
          order += account;
          return false;
        },
      });
    queue.pass(1);
    expect(order).toBe(served);
  });

  it('the queue of phones serves one phone after the other in rounds, and a later account joins the current one (contract 13)', () => {
    const queue = new TurnQueue();
    let order = '';
    const arrive = (name: string) =>
      queue.add({
        countedAs: name.slice(0, 1),
        since: 0,
        until: 1_000,
        attempt: () => {
          if (isBusy) return true;
          isBusy = true;
          order += `${name} `;
          return false;
        },
      });
    let isBusy = true;
    const free = () => {
      isBusy = false;
      queue.pass(1);
    };
    for (const name of ['a1', 'a2', 'a3', 'b1']) arrive(name);
    free();
    arrive('c1');
    free();
    free();
    arrive('d1');
    for (let count = 0; count < 3; count++) free();
    expect(order.trim()).toBe('a1 b1 c1 a2 d1 a3');
  });

  it('the queue of phones ends a wait if the clock was set back', () => {
    const queue = new TurnQueue();
    const seen: boolean[] = [];
    const attempt = (isLast: boolean) => {
      seen.push(isLast);
      return !isLast;
    };
    queue.add({ countedAs: null, since: 1_000, until: 2_000, attempt });
    queue.pass(1_500);
    queue.pass(999);
    expect([seen, queue.size, queue.nextEnd()]).toEqual([[false, true], 0, null]);
  });
});
