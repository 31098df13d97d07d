import { fakeClock, silentLog } from '@svc/auth-core/testing';
import { expect, expectTypeOf, it } from 'vitest';
import { LabEvents, type NewLabEvent } from '../src/events/lab-events.ts';

const EVENT = { type: 'queue_changed', payload: { waiting: 1 }, audience: { kind: 'everybody' } } as const;

it('an event reaches everyone who listens, with its time, until they stop (specification 6)', () => {
  const clock = fakeClock();
  const events = new LabEvents(clock, silentLog());
  expect(events.hasListeners).toBe(false);
  events.publish(EVENT);
  const heard: unknown[] = [];
  const stop = events.subscribe((event) => heard.push(event));
  expect(events.hasListeners).toBe(true);
  events.publish(EVENT);
  stop();
  events.publish(EVENT);
  expect(heard).toEqual([{ ...EVENT, at: clock.now() }]);
});

it('a listener that fails is logged and disturbs nobody (specification 6)', () => {
  const log = silentLog();
  const events = new LabEvents(fakeClock(), log);
  const heard: unknown[] = [];
  events.subscribe(() => {
    throw new Error('broken');
  });
  events.subscribe((event) => heard.push(event.type));
  events.publish(EVENT);
  expect(heard).toEqual(['queue_changed']);
  expect(log.messages('error')).toEqual(['A live event was not passed on']);
});

it('an event with another payload or audience than the table declares does not compile (specification 6)', () => {
  expectTypeOf(EVENT).toExtend<NewLabEvent>();
  expectTypeOf({ ...EVENT, payload: { udid: 'p1' } } as const).not.toExtend<NewLabEvent>();
  expectTypeOf({ ...EVENT, audience: { kind: 'admins' } } as const).not.toExtend<NewLabEvent>();
});
