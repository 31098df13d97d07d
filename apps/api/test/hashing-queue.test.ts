import { Refusal } from '@svc/auth-core';
import { describe, expect, it } from 'vitest';
import { HashingQueue } from '../src/hashing/hashing-queue.ts';

const stranger = (sender: string) => ({ known: false, sender });
const KNOWN = { known: true, sender: '10.0.0.1' };

/** Creates a queue and tasks that run until the test ends them. */
function setUp() {
  const queue = new HashingQueue({ running: 1, waiting: 4, perSender: 3 });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const refused: string[] = [];
  const ask = (name: string, place?: { known: boolean; sender: string }) =>
    queue
      .run(() => {
        started.push(name);
        return new Promise<void>((end) => ends.set(name, end));
      }, place)
      .catch((error: unknown) => {
        if (!(error instanceof Refusal) || error.code !== 'overloaded') throw error;
        refused.push(name);
      });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((next) => setImmediate(next));
  };
  const settle = () => new Promise((next) => setImmediate(next));
  return { started, refused, ask, end, settle };
}

describe('places for hashing (contract 4)', () => {
  it('the known go before every stranger that waits', async () => {
    const { started, ask, end, settle } = setUp();
    void ask('s1', stranger('a'));
    void ask('s2', stranger('a'));
    void ask('s3', stranger('b'));
    void ask('known', KNOWN);
    void ask('the server itself');
    await settle();
    for (const name of ['s1', 'known', 'the server itself', 's2', 's3']) await end(name);
    expect(started).toEqual(['s1', 'known', 'the server itself', 's2', 's3']);
  });

  it('one sender takes only its share of the places, and all strangers none of the known', async () => {
    const { started, refused, ask, end, settle } = setUp();
    void ask('running', stranger('a'));
    for (let flood = 0; flood < 3000; flood += 1) void ask(`flood-${flood}`, stranger('a'));
    void ask('elsewhere', stranger('b'));
    void ask('too many', stranger('c'));
    void ask('known', KNOWN);
    await settle();
    expect(refused).toHaveLength(2998);
    expect(refused.at(-1)).toBe('too many');
    for (const name of ['running', 'known', 'flood-0', 'flood-1', 'flood-2', 'elsewhere']) await end(name);
    expect(started).toEqual(['running', 'known', 'flood-0', 'flood-1', 'flood-2', 'elsewhere']);
  });

  it('a place is free again once its task ran, also when it failed', async () => {
    const { refused, ask, end, settle } = setUp();
    const queue = new HashingQueue({ running: 1, waiting: 0, perSender: 0 });
    await expect(queue.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await queue.run(async () => undefined);
    for (const round of [1, 2]) {
      for (const name of ['a', 'b', 'c', 'd']) void ask(`${name}${round}`, stranger('a'));
      await settle();
      for (const name of ['a', 'b', 'c', 'd']) await end(`${name}${round}`);
    }
    expect(refused).toEqual([]);
  });
});
