import type { IncomingMessage } from 'node:http';
import { fakeClock } from '@svc/auth-core/testing';
import { type Admission, ClientLeft, NO_PATIENCE, type Reservation } from '@svc/device-lab';
import { beforeEach, expect, it } from 'vitest';
import type { RemoteCreated } from '../src/remote/create-places.ts';
import { RepeatedCreates } from '../src/remote/repeated-creates.ts';

let begun: number;
let outcome: () => RemoteCreated | Reservation | null;
let clock: ReturnType<typeof fakeClock>;
let repeated: RepeatedCreates;

beforeEach(() => {
  begun = 0;
  outcome = () => ({ id: `s${begun}`, ownerId: null, answer: `answer ${begun}` });
  clock = fakeClock(0);
  const place = async () => {
    begun += 1;
    await new Promise(setImmediate);
    return outcome();
  };
  repeated = new RepeatedCreates({ place }, clock);
});

function create(key: string | undefined, caller: string | null = 'ana') {
  const req = { headers: { 'x-idempotency-key': key } } as unknown as IncomingMessage;
  const admission = { caller: caller === null ? null : { account: { id: caller } } } as Admission;
  return repeated.place(req, {}, admission) as Promise<RemoteCreated | null>;
}

it('a create for elsewhere that is sent again is answered as the first, also meanwhile (contract 7, idempotency)', async () => {
  const answers = await Promise.all([create('a'), create('a'), create('a')]);
  expect([begun, answers.map((each) => each?.answer)]).toEqual([1, Array(3).fill('answer 1')]);
  expect(answers.map((each) => each?.isRepeated)).toEqual([undefined, true, true]);
  for (let times = 0; times < 3; times++) {
    clock.advance(29 * 60_000);
    expect((await create('a'))?.id).toBe('s1');
  }
  clock.advance(30 * 60_000);
  expect((await create('a'))?.id).toBe('s2');
});

it('a repeated create is another one for another caller, another key, without a key or a caller (contract 7, idempotency)', async () => {
  await create('a');
  await create('a', 'bob');
  await create('b');
  for (let times = 0; times < 2; times++) {
    await create(undefined);
    await create('');
    await create('a', null);
  }
  expect(begun).toBe(9);
});

it('refused, it is refused again; of this server it goes there again, without a second reservation', async () => {
  outcome = () => {
    throw new Error('no phone');
  };
  await expect(create('a')).rejects.toThrow('no phone');
  await expect(create('a')).rejects.toThrow('no phone');
  outcome = () => ({ device: null }) as Reservation;
  expect(await create('b')).toMatchObject({ device: null });
  expect(await create('b')).toBeNull();
  expect(begun).toBe(2);
});

it('the response to a create is remembered for 64 keys, and not when it is larger than 1 MiB', async () => {
  for (let index = 0; index < 65; index++) await create(`k${index}`);
  await create('k64');
  expect(begun).toBe(65);
  await create('k0');
  expect(begun).toBe(66);
  outcome = () => ({ id: 'x', ownerId: null, answer: 'x'.repeat(1024 * 1024 + 1) });
  await create('large');
  await create('large');
  expect(begun).toBe(68);
});

it('a create is told that its client has disconnected, with an idempotency key and without, and a repeated one then runs (contract 14.7)', async () => {
  const told: (AbortSignal | undefined)[] = [];
  const places = new RepeatedCreates(
    {
      place: async (_req, _body, _admission, _patience, gone) => {
        told.push(gone);
        await new Promise(setImmediate);
        if (gone?.aborted === true) throw new ClientLeft();
        return { id: `s${told.length}`, ownerId: null, answer: '' };
      },
    },
    clock,
  );
  const create = (key: string | undefined, gone: AbortSignal) => {
    const req = { headers: { 'x-idempotency-key': key } } as unknown as IncomingMessage;
    return places.place(req, {}, { caller: { account: { id: 'ana' } } } as Admission, NO_PATIENCE, gone);
  };
  const left = AbortSignal.abort();
  const here = new AbortController().signal;
  await expect(create(undefined, left)).rejects.toThrow(ClientLeft);
  const [first, second] = await Promise.allSettled([create('a', left), create('a', here)]);
  expect(first).toMatchObject({ status: 'rejected', reason: expect.any(ClientLeft) });
  expect(second).toMatchObject({ status: 'fulfilled', value: { id: 's3' } });
  expect(told).toEqual([left, left, here]);
});
