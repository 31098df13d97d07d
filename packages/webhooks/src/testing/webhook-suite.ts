import { opened } from '@svc/device-lab/testing';
import { describe, expect, it } from 'vitest';
import type { WebhookStore } from '../webhook.ts';
import { sampleDelivery, sampleWebhook } from './sample-webhook.ts';

const REFUSED = { status: 500, error: null } as const;

/** Opens a store of webhooks for one test. */
type OpenWebhooks = () => Promise<{ readonly webhooks: WebhookStore; close(): void }>;

/** Defines the tests that every store of webhooks must pass. */
export function webhookSuite(name: string, open: OpenWebhooks): void {
  describe(`webhooks on ${name}`, () => {
    const stores = opened(open);
    const add = (id: string, waiting: string[] = [], createdAt = 1) => {
      stores().webhooks.insert(sampleWebhook(id, { createdAt }));
      stores().webhooks.enqueue(
        waiting.map((each) => sampleDelivery(each, id)),
        1_000,
      );
    };
    const idsOf = (webhookId: string, now = 1e12) => {
      const { webhooks } = stores();
      const ids: string[] = [];
      for (let next = webhooks.nextOf(webhookId, now); next; next = webhooks.nextOf(webhookId, now)) {
        ids.push(next.id);
        webhooks.file({ deliveryId: next.id, webhookId, at: 1, outcome: REFUSED, retryAt: null });
      }
      return ids;
    };

    it('webhooks come back as they were, oldest first (contract 2 /webhook)', () => {
      const { webhooks } = stores();
      const late = sampleWebhook('w1', { createdAt: 9, createdBy: null });
      const early = sampleWebhook('w2', {
        createdAt: 8,
        lastDelivery: { at: 7, status: null, error: 'no_response' },
      });
      for (const each of [late, early]) webhooks.insert(each);
      expect(webhooks.all()).toEqual([early, late]);
      expect(webhooks.byId('w1')).toEqual(late);
      expect(webhooks.byId('w3')).toBeUndefined();
    });

    it('webhooks are told of the events they name only (contract 2 /webhook)', () => {
      const { webhooks } = stores();
      webhooks.insert(sampleWebhook('w1', { createdAt: 1, events: ['device_new'] }));
      webhooks.insert(sampleWebhook('w2', { createdAt: 2, events: ['session_failed', 'device_new'] }));
      webhooks.insert(sampleWebhook('w3', { createdAt: 3, isPaused: true }));
      webhooks.insert(sampleWebhook('w4', { createdAt: 4, events: ['device_new'], teamId: 't1', tag: 'x' }));
      const everything = { teamId: null, tag: null };
      expect(webhooks.subscribedTo('device_new')).toEqual([
        { id: 'w1', ...everything },
        { id: 'w2', ...everything },
        { id: 'w4', teamId: 't1', tag: 'x' },
      ]);
      expect(webhooks.subscribedTo('session_failed')).toEqual([{ id: 'w2', ...everything }]);
      expect(webhooks.subscribedTo('device_offline')).toEqual([]);
    });

    it('one that is changed keeps its deliveries and its last result', () => {
      const { webhooks } = stores();
      add('w1', ['d1']);
      webhooks.file({ deliveryId: 'd1', webhookId: 'w1', at: 5, outcome: REFUSED, retryAt: 9 });
      const changed = sampleWebhook('w1', {
        events: ['lease_ended'],
        format: 'teams',
        teamId: 't1',
        tag: 'smoke',
        isPaused: true,
        host: 'other.test',
        createdAt: 1,
        target: { url: 'https://other.test/', secret: 'whsec_b3RoZXI=' },
      });
      webhooks.update(changed);
      expect(webhooks.byId('w1')).toEqual({ ...changed, lastDelivery: { at: 5, ...REFUSED } });
      expect(webhooks.due(1e12)).toEqual([]);
      webhooks.update({ ...changed, isPaused: false });
      expect(webhooks.due(1e12)).toEqual(['w1']);
      webhooks.update(sampleWebhook('unknown'));
      expect(webhooks.byId('unknown')).toBeUndefined();
    });

    it('deliveries are listed newest first, the twenty that finished last with their results', () => {
      const { webhooks } = stores();
      add('w1');
      add('w2', ['other']);
      for (let each = 1; each <= 24; each += 1) {
        webhooks.enqueue([sampleDelivery(`d${each}`, 'w1', { createdAt: each })], 1_000);
        if (each === 23) continue;
        const outcome = each === 24 ? REFUSED : ({ status: 204, error: null } as const);
        webhooks.file({ deliveryId: `d${each}`, webhookId: 'w1', at: 100 + each, outcome, retryAt: null });
      }
      const listed = webhooks.deliveriesOf('w1', 50);
      expect(listed.map(({ id }) => id)).toEqual(Array.from({ length: 21 }, (_, at) => `d${24 - at}`));
      expect(listed[0]).toEqual({
        ...sampleDelivery('d24', 'w1', { createdAt: 24, failures: 1 }),
        triedAt: 124,
        outcome: REFUSED,
        isFinished: true,
      });
      expect(listed[1]).toMatchObject({ triedAt: null, outcome: null, isFinished: false, failures: 0 });
      expect(listed[2]).toMatchObject({ outcome: { status: 204, error: null }, failures: 0 });
      expect(webhooks.deliveriesOf('w1', 2).map(({ id }) => id)).toEqual(['d24', 'd23']);
      expect(webhooks.delivery('w1', 'd24')).toEqual(listed[0]);
      expect(webhooks.delivery('w1', 'd1')).toBeUndefined();
      expect(webhooks.delivery('w1', 'other')).toBeUndefined();
      expect(webhooks.pending()).toEqual(
        new Map([
          ['w1', 1],
          ['w2', 1],
        ]),
      );
    });

    it('a removed one takes its deliveries with it, and nobody else’s', () => {
      add('w1', ['d1', 'd2']);
      add('w2', ['d3']);
      expect(stores().webhooks.remove('w1')).toBe(true);
      expect(stores().webhooks.remove('w1')).toBe(false);
      expect([...stores().webhooks.pending()]).toEqual([['w2', 1]]);
      expect(stores().webhooks.nextOf('w1', 1e12)).toBeUndefined();
    });

    it('a delivery is due from its time on, the first due first', () => {
      const { webhooks } = stores();
      add('w1');
      add('w2');
      const deliveries = [
        sampleDelivery('d1', 'w1', { dueAt: 30 }),
        sampleDelivery('d2', 'w1', { dueAt: 20 }),
        sampleDelivery('d3', 'w1', { dueAt: 20 }),
      ];
      webhooks.enqueue(deliveries, 10);
      expect(webhooks.due(19)).toEqual([]);
      expect(webhooks.nextOf('w1', 19)).toBeUndefined();
      expect(webhooks.due(20)).toEqual(['w1']);
      expect(webhooks.nextOf('w1', 20)).toEqual(deliveries[1]);
      expect(webhooks.pending()).toEqual(new Map([['w1', 3]]));
      expect(idsOf('w1')).toEqual(['d2', 'd3', 'd1']);
    });

    it('a try that failed is repeated with the same id and body, later', () => {
      const { webhooks } = stores();
      add('w1', ['d1']);
      webhooks.file({ deliveryId: 'd1', webhookId: 'w1', at: 5, outcome: REFUSED, retryAt: 9_000 });
      expect(webhooks.due(8_999)).toEqual([]);
      expect(webhooks.nextOf('w1', 9_000)).toEqual(sampleDelivery('d1', 'w1', { failures: 1, dueAt: 9_000 }));
      expect(webhooks.byId('w1')?.lastDelivery).toEqual({ at: 5, ...REFUSED });
      webhooks.file({
        deliveryId: 'd1',
        webhookId: 'w1',
        at: 6,
        outcome: { status: 204, error: null },
        retryAt: null,
      });
      expect(webhooks.pending().size).toBe(0);
      expect(webhooks.byId('w1')?.lastDelivery).toEqual({ at: 6, status: 204, error: null });
    });

    it('a try is filed without effect once its webhook or delivery is gone', () => {
      const { webhooks } = stores();
      add('w1', ['d1']);
      webhooks.remove('w1');
      for (const retryAt of [null, 9])
        webhooks.file({ deliveryId: 'd1', webhookId: 'w1', at: 5, outcome: REFUSED, retryAt });
      expect(webhooks.all()).toEqual([]);
      expect(webhooks.pending().size).toBe(0);
    });

    it('deliveries of one event are kept all or none', () => {
      const { webhooks } = stores();
      add('w1');
      const twice = ['d1', 'd1'].map((id) => sampleDelivery(id, 'w1'));
      expect(() => webhooks.enqueue(twice, 10)).toThrow();
      expect(webhooks.pending().size).toBe(0);
    });

    it('the oldest deliveries are dropped when there are too many', () => {
      const { webhooks } = stores();
      add('w1');
      add('w2', ['other']);
      const enqueue = (id: string, createdAt: number) =>
        webhooks.enqueue([sampleDelivery(id, 'w1', { createdAt, dueAt: createdAt })], 2);
      expect([enqueue('d1', 1), enqueue('d2', 2), enqueue('d3', 3)]).toEqual([[], [], ['w1']]);
      expect(idsOf('w1')).toEqual(['d2', 'd3']);
      expect(idsOf('w2')).toEqual(['other']);
    });
  });
}
