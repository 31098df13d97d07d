import { Audit } from '@svc/auth-core';
import { fakeClock, seededRandom, silentLog } from '@svc/auth-core/testing';
import type { SessionEnd } from '@svc/device-lab';
import { DeviceLab, endOfCause, runExecuteMethod } from '@svc/device-lab';
import { sampleAdmission, samplePhones, sampleStart } from '@svc/device-lab/testing';
import { type LabStores, labStores, memoryStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { sampleWebhook } from '../src/testing/index.ts';
import { WebhookQueue } from '../src/webhook-queue.ts';

const START = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
let sessions: LabStores['sessions'];
let webhooks: LabStores['webhooks'];
let clock: ReturnType<typeof fakeClock>;
let transactions: number;
const log = silentLog();

function openLab(): DeviceLab {
  const stores = memoryStores();
  const audit = new Audit(stores, clock, seededRandom());
  const kept = { accounts: stores.accounts, deviceSettings: labStores().deviceSettings };
  const queue = new WebhookQueue({ webhooks, stores: kept, clock, random: seededRandom(), audit, log });
  const lab = new DeviceLab({
    sessions,
    commands: labStores().commands,
    deviceSettings: labStores().deviceSettings,
    sources: [samplePhones(1, 'virtual')],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock,
    log,
    endRecorder: {
      transaction: (work) => {
        transactions += 1;
        return work();
      },
      ended: (session) => queue.sessionEnded(session),
    },
  });
  lab.start();
  return lab;
}

const told = () => webhooks.rows.map(({ body }) => JSON.parse(body));
const started = async (lab = openLab()) => {
  await lab.creates.createSession(sampleAdmission(), {}, sampleStart('s1'));
  clock.advance(1_500);
  return lab;
};

beforeEach(() => {
  clock = fakeClock(START);
  sessions = labStores().sessions;
  webhooks = labStores({ loose: false }).webhooks;
  webhooks.insert(sampleWebhook('w1'));
  transactions = 0;
  log.clear();
});

describe('the session_failed webhook', () => {
  it('the session_failed webhook has nine fields, and no secret of the reason (specification 6)', async () => {
    const lab = await started();
    runExecuteMethod(lab, 's1', 'setSessionName', [{ name: 'checkout' }]);
    lab.recordEnd('s1', { category: 'Session Lost', reason: 'driver gone, token=hunter2hunter2' });
    expect(told()).toEqual([
      {
        event: 'session_failed',
        payload: {
          sessionId: 's1',
          sessionName: 'checkout',
          failureReason: expect.stringContaining('driver gone, token='),
          udid: 'virtual-1',
          deviceName: 'Virtual phone 1',
          platform: 'Fake',
          osVersion: '1.0',
          startTime: '2026-01-02T03:04:05.006Z',
          endTime: '2026-01-02T03:04:06.506Z',
        },
      },
    ]);
    expect(webhooks.rows[0]?.body).not.toContain('hunter2');
    expect(transactions).toBe(2);
  });

  it.each([
    ['a driver that crashed', endOfCause('The driver process died')],
    ['an inactivity time-out', endOfCause('New Command Timeout of 60 seconds expired.')],
    ['a signal to the server', endOfCause('The process has received SIGTERM signal')],
    ['a session that was lost', { category: 'Session Lost', reason: 'no heartbeat' }],
  ] as [string, SessionEnd][])(
    'the session_failed webhook is sent for %s (specification 6)',
    async (_what, end) => {
      (await started()).recordEnd('s1', end);
      expect(told()).toMatchObject([{ payload: { sessionId: 's1', failureReason: end.reason } }]);
    },
  );

  it('the session_failed webhook is sent for a session that called itself failed, once it ends (specification 6)', async () => {
    const lab = await started();
    runExecuteMethod(lab, 's1', 'setSessionStatus', [{ status: 'failed', reason: 'total is wrong' }]);
    expect(told()).toEqual([]);
    lab.recordEnd('s1', { category: null, reason: null });
    lab.recordEnd('s1', { category: 'Timeout', reason: 'late' });
    expect(told()).toMatchObject([{ payload: { failureReason: 'total is wrong' } }]);
  });

  it('the session_failed webhook is sent at the next start for sessions a stopped server left behind, once (specification 6, 9.2)', async () => {
    await started();
    openLab();
    expect(told()).toMatchObject([{ payload: { failureReason: 'the server was restarted' } }]);
    openLab();
    expect(told()).toHaveLength(1);
  });

  it('the session_failed webhook is not sent for a session that passed or was quit', async () => {
    const lab = await started();
    lab.recordEnd('s1', { category: null, reason: null });
    await lab.creates.createSession(sampleAdmission(), {}, sampleStart('s2'));
    runExecuteMethod(lab, 's2', 'setSessionStatus', [{ status: 'passed' }]);
    lab.recordEnd('s2', { category: null, reason: null });
    expect(told()).toEqual([]);
  });

  it('a webhook for an end that could not be stored is sent by the next start', async () => {
    const lab = await started();
    webhooks.failing = new Error('disk full');
    lab.recordEnd('s1', { category: 'Timeout', reason: 'idle' });
    expect(lab.sessions.ownerOf('s1')).toBeUndefined();
    expect(log.messages('error')).toHaveLength(1);
  });
});
