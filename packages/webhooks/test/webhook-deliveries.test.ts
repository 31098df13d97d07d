import { Audit, type AuditEntry } from '@svc/auth-core';
import { type FakeClock, fakeClock, sampleAccount, seededRandom, silentLog } from '@svc/auth-core/testing';
import type { LiveEventName, WebhookEvent } from '@svc/contract';
import type { DeviceSetting, LabEvent } from '@svc/device-lab';
import { type LabStores, labStores, memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EventScope } from '../src/event-scope.ts';
import { retryAt } from '../src/retry-delay.ts';
import { sampleDelivery, sampleWebhook } from '../src/testing/index.ts';
import type { DeliveryOutcome, OutgoingDelivery, WebhookSender } from '../src/webhook.ts';
import { WebhookDeliveries } from '../src/webhook-deliveries.ts';
import { WebhookQueue } from '../src/webhook-queue.ts';

const OK: DeliveryOutcome = { status: 204, error: null };
const DOWN: DeliveryOutcome = { status: null, error: 'no_response' };
const HOUR = 3_600_000;

/** Sender whose responses the test determines with `answer`. */
class ScriptedSender implements WebhookSender {
  readonly sent: OutgoingDelivery[] = [];
  answer: (delivery: OutgoingDelivery) => DeliveryOutcome | Promise<DeliveryOutcome> = () => OK;

  async check(): Promise<void> {}

  async send(delivery: OutgoingDelivery): Promise<DeliveryOutcome> {
    this.sent.push(delivery);
    return this.answer(delivery);
  }

  get ids(): (string | undefined)[] {
    return this.sent.map(({ headers }) => headers['webhook-id']);
  }
}

let webhooks: LabStores['webhooks'];
let settings: LabStores['deviceSettings'];
let sender: ScriptedSender;
let clock: FakeClock;
let stores: ReturnType<typeof memoryStores>;
const log = silentLog();
const random = seededRandom();

const deliveries = () => {
  const audit = new Audit(stores, clock, random);
  const messages = { publicUrl: null, sessionOwner: () => null };
  return new WebhookDeliveries({ webhooks, sender, clock, random, audit, log, messages });
};
const queue = () => {
  const audit = new Audit(stores, clock, random);
  const kept = { accounts: stores.accounts, deviceSettings: settings };
  return new WebhookQueue({ webhooks, stores: kept, clock, random, audit, log });
};
const add = (event: WebhookEvent, payload: object, scope: EventScope = { teamIds: [], tags: [] }) =>
  queue().add(event, payload, () => scope);
const samplePhoneSetting = (udid: string, change: Partial<DeviceSetting>): DeviceSetting => ({
  ...{ udid, name: udid, platform: 'Android', osVersion: '15', node: null, teamId: null, tags: [] },
  ...{ givenName: null, note: null, lastSeenAt: null },
  ...change,
});
/** Sends the deliveries that are due, as the timer does once a second, and waits for the results. */
const round = async (of = deliveries()) => {
  of.start();
  await of.settled();
};
const auditEvents = (): AuditEntry['event'][] => stores.audit.page(null, 100).map(({ event }) => event);

beforeEach(() => {
  webhooks = labStores({ loose: false }).webhooks;
  settings = labStores().deviceSettings;
  sender = new ScriptedSender();
  clock = fakeClock();
  stores = memoryStores();
  log.clear();
});

describe('deliveries', () => {
  it('an event goes once to each webhook that wants it, with an id of its own (specification 6)', async () => {
    webhooks.insert(sampleWebhook('w1', { createdAt: 1 }));
    webhooks.insert(sampleWebhook('w2', { createdAt: 2, events: ['device_new'] }));
    webhooks.insert(sampleWebhook('w3', { createdAt: 3 }));
    add('session_failed', { sessionId: 's1' });
    await round();
    // Sort the addresses, because both deliveries are signed at the same time and either may be sent first.
    const addresses = sender.sent.map(({ url }) => url).sort();
    expect(addresses).toEqual(['https://hooks.test/w1', 'https://hooks.test/w3']);
    expect(new Set(sender.ids).size).toBe(2);
    expect(sender.sent[0]?.body).toBe('{"event":"session_failed","payload":{"sessionId":"s1"}}');
    await round();
    expect(sender.sent).toHaveLength(2);
    expect(webhooks.pending().size).toBe(0);
    expect(webhooks.byId('w1')?.lastDelivery).toEqual({ at: clock.now(), ...OK });
  });

  it('a try that failed is repeated with the same id and body, later and later, also after a restart', async () => {
    webhooks.insert(sampleWebhook('w1'));
    add('device_new', { udid: 'p1' });
    const first = clock.now();
    const tries: number[] = [];
    sender.answer = () => {
      tries.push(Math.round((clock.now() - first) / 1000));
      return tries.length === 5 ? OK : { status: 500, error: null };
    };
    for (let second = 0; second < 1000; second += 1) {
      await round();
      clock.advance(1000);
    }
    expect(new Set(sender.ids).size).toBe(1);
    expect(new Set(sender.sent.map(({ body }) => body)).size).toBe(1);
    expect(tries).toHaveLength(5);
    const waits = tries.slice(1).map((at, index) => at - (tries[index] as number));
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(4 * 4 ** index - 1);
      expect(wait).toBeLessThanOrEqual(6 * 4 ** index + 1);
    }
    // All signatures differ, because each try is signed with its own time.
    expect(new Set(sender.sent.map(({ headers }) => headers['webhook-signature'])).size).toBe(5);
  });

  it('a delivery is given up a day after its event, and an audit row says so', async () => {
    webhooks.insert(sampleWebhook('w1'));
    add('device_new', {});
    sender.answer = () => DOWN;
    for (let minute = 0; minute < 26 * 60; minute += 1) {
      await round();
      clock.advance(60_000);
    }
    expect(webhooks.pending().size).toBe(0);
    expect(sender.sent.length).toBeGreaterThan(20);
    expect(sender.sent.length).toBeLessThan(40);
    expect(auditEvents()).toContain('webhook_delivery_failed');
    expect(webhooks.byId('w1')?.lastDelivery).toMatchObject(DOWN);
  });

  it('webhooks that hang keep nobody waiting, and have one delivery on its way each', async () => {
    for (let each = 1; each <= 50; each += 1) {
      webhooks.insert(sampleWebhook(`w${each}`, { createdAt: each }));
      const both = [1, 2].map((nth) => sampleDelivery(`d${each}-${nth}`, `w${each}`));
      webhooks.enqueue(both, 10);
    }
    const answers: (() => void)[] = [];
    sender.answer = ({ url }) =>
      url.endsWith('/w50') ? OK : new Promise((answer) => answers.push(() => answer(DOWN)));
    const running = deliveries();
    running.start();
    running.start();
    await expect.poll(() => webhooks.pending().get('w50')).toBeUndefined();
    expect(sender.sent).toHaveLength(51);
    expect(answers).toHaveLength(49);
    for (const answer of answers.splice(0)) answer();
    await running.settled();
    // No further delivery was sent, because the second deliveries of receivers that are down wait for the timer.
    expect(sender.sent).toHaveLength(51);
    running.start();
    await expect.poll(() => answers.length).toBe(49);
    running.start();
    expect(sender.sent).toHaveLength(100);
    for (const answer of answers) answer();
    await running.stop();
  });

  it('one that was deleted while its delivery was on its way leaves nothing', async () => {
    webhooks.insert(sampleWebhook('w1'));
    add('device_new', {});
    sender.answer = () => {
      webhooks.remove('w1');
      return DOWN;
    };
    await round();
    expect(webhooks.pending().size).toBe(0);
    expect(webhooks.all()).toEqual([]);
  });

  it('a delivery that could not be filed is sent again with its id, and not in a circle', async () => {
    webhooks.insert(sampleWebhook('w1'));
    add('device_new', {});
    const file = webhooks.file;
    webhooks.file = () => {
      throw new Error('disk full');
    };
    await round();
    expect(sender.sent).toHaveLength(1);
    webhooks.file = file;
    await round();
    expect(new Set(sender.ids).size).toBe(1);
    expect(sender.sent).toHaveLength(2);
    expect(webhooks.pending().size).toBe(0);
  });

  it('an abandoned delivery stays for the next start', async () => {
    webhooks.insert(sampleWebhook('w1'));
    add('device_new', {});
    let answer: () => void = () => undefined;
    sender.answer = () => new Promise((done) => (answer = () => done(DOWN)));
    const running = deliveries();
    running.start();
    await expect.poll(() => sender.sent.length).toBe(1);
    running.abandon();
    answer();
    await running.stop();
    running.start();
    expect(sender.sent).toHaveLength(1);
    sender.answer = () => OK;
    await round();
    expect(new Set(sender.ids).size).toBe(1);
    expect(webhooks.pending().size).toBe(0);
  });
});

describe('the queue', () => {
  let seen = 0;
  const wanting = () => webhooks.rows.slice(seen).map(({ webhookId }) => webhookId);
  beforeEach(() => {
    seen = 0;
  });

  it('an event goes to the webhooks whose team and tag it has, and to none that is paused', () => {
    const filters = {
      w1: {},
      w2: { teamId: 't1' },
      w3: { tag: 'smoke' },
      w4: { teamId: 't1', tag: 'smoke' },
    };
    for (const [id, filter] of Object.entries(filters)) webhooks.insert(sampleWebhook(id, filter));
    webhooks.insert(sampleWebhook('w5', { isPaused: true }));
    add('device_new', {}, { teamIds: [], tags: [] });
    expect(wanting().splice(0)).toEqual(['w1']);
    seen = webhooks.rows.length;
    add('device_new', {}, { teamIds: ['t2', 't1'], tags: ['Smoke'] });
    expect(wanting()).toEqual(['w1', 'w2']);
    seen = webhooks.rows.length;
    add('device_new', {}, { teamIds: ['t1'], tags: ['nightly', 'smoke'] });
    expect(wanting()).toEqual(['w1', 'w2', 'w3', 'w4']);
  });

  it('an event of the lab is about the teams and tags of its phone and its person', () => {
    const team = { id: 't1', name: 'Checkout' };
    const ben = sampleAccount('ben');
    stores.transaction((tx) => {
      tx.accounts.insert(ben);
      tx.teams.insert(team);
      tx.teams.addMember('t1', ben.id);
    });
    settings.save(samplePhoneSetting('p1', { teamId: 't2', tags: ['smoke'] }));
    webhooks.insert(sampleWebhook('w1', { events: ['lease_ended', 'queue_long'], teamId: 't1' }));
    webhooks.insert(sampleWebhook('w2', { events: ['lease_ended'], teamId: 't2', tag: 'smoke' }));
    webhooks.insert(sampleWebhook('w3', { events: ['queue_long'], tag: 'nightly' }));
    const event = (type: LiveEventName, payload: object) =>
      queue().labEvent({ type, at: 1, payload, audience: { kind: 'everybody' } } as LabEvent);
    event('lease_ended', { udid: 'p1', owner: { id: ben.id, email: ben.email } });
    expect(wanting()).toEqual(['w1', 'w2']);
    seen = webhooks.rows.length;
    event('lease_ended', { udid: 'unknown', owner: { id: 'gone', email: null } });
    expect(wanting()).toEqual([]);
    event('queue_long', { owner: null, wants: { udid: null, platform: null, tags: ['nightly'] } });
    expect(wanting()).toEqual(['w3']);
    event('session_failed' as never, { id: 'of the live events' });
    event('queue_changed', {});
    expect(wanting()).toEqual(['w3']);
  });

  it('the oldest of a thousand and one waiting deliveries is dropped, with an audit row', () => {
    webhooks.insert(sampleWebhook('w1'));
    for (let each = 0; each <= 1_000; each += 1) add('device_new', { each });
    expect(webhooks.pending().get('w1')).toBe(1_000);
    expect(webhooks.rows.some(({ body }) => body.includes('"each":0}'))).toBe(false);
    expect(auditEvents()).toContain('webhook_delivery_dropped');
  });

  it('an event too large for a webhook is not kept', () => {
    webhooks.insert(sampleWebhook('w1'));
    add('device_new', { name: 'x'.repeat(40_000) });
    expect(webhooks.pending().size).toBe(0);
    expect(log.messages('warn')).toHaveLength(1);
  });
});

it('the time of the next try grows to an hour and never goes beyond a day after the event', () => {
  const failures = fc.integer({ min: 1, max: 200 });
  fc.assert(
    fc.property(failures, fc.nat(30 * HOUR), fc.integer(), (count, age, seed) => {
      const at = retryAt({ createdAt: 0, failures: count }, age, seededRandom(seed));
      if (at === null) {
        expect(age).toBeGreaterThan(24 * HOUR - 1.2 * HOUR);
        return;
      }
      expect(at - age).toBeGreaterThanOrEqual(4_000);
      expect(at - age).toBeLessThanOrEqual(1.2 * HOUR);
      expect(at).toBeLessThanOrEqual(24 * HOUR);
    }),
  );
});
