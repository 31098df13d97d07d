import { sampleAdmission, sampleStart } from '@svc/device-lab/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp, type RunningApp } from '../support/app.ts';

/** Sessions of the API alone. There is no driver, so ending a session only marks it. */
describe('sessions without an automation server', () => {
  let running: RunningApp;
  let cookie: string;

  beforeAll(async () => {
    running = await openApp();
    const from = { address: null, peer: null, requestId: null };
    const opened = await running.services.modules.accounts.offers.passwordSignIn.open(
      { email: 'admin@svc.local', password: 'svc-admin-please-change', network: '', userAgent: null },
      from,
    );
    cookie = `svc_dashboard_session=${opened.cookie}`;
    for (const id of ['s1', 's2', 's3']) {
      const start = sampleStart(id, { capabilities: { platformName: 'Fake' } });
      await running.services.modules.lab.offers.lab.creates.createSession(sampleAdmission(), {}, start);
    }
  });
  afterAll(() => running.close());

  const ask = async (method: 'GET' | 'DELETE', path: string) => {
    const headers = { cookie, host: 'lab', origin: 'http://lab' };
    const answer = await running.app.inject({ method, url: `/svc/api${path}`, headers });
    return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
  };

  it('sessions without an automation server are marked as ended (contract 2 /sessions)', async () => {
    expect(await ask('DELETE', '/session/s1')).toEqual({ status: 204, body: undefined });
    expect((await ask('GET', '/session/s1')).body).toMatchObject({
      status: 'ended',
      endedAt: expect.any(String),
      failureReason: 'ended by an administrator',
    });
    expect(running.services.modules.lab.offers.lab.sessions.ownerOf('s1')).toBeUndefined();
  });

  it('a list is bounded, and bounds that are none are refused (contract 2 /sessions)', async () => {
    expect((await ask('GET', '/sessions?limit=2')).body).toHaveLength(2);
    expect((await ask('GET', '/sessions')).body).toHaveLength(3);
    for (const query of ['limit=0', 'limit=-1', 'limit=x', 'limit=1000']) {
      expect(await ask('GET', `/sessions?${query}`)).toMatchObject({
        status: 400,
        body: { error: 'bad_request' },
      });
    }
    expect((await ask('GET', '/session/s2/session_log?after=x')).status).toBe(400);
    expect(await ask('GET', '/session/s2/session_log')).toEqual({ status: 200, body: [] });
  });

  it('sessions without an automation server are searched and paged, and what is asked for wrongly is refused (contract 2 /sessions)', async () => {
    const ids = async (query: string) => {
      const { status, body } = await ask('GET', `/sessions?${query}`);
      return status === 200 ? body.map(({ id }: { id: string }) => id) : body.error;
    };
    expect(await ids('before=s3&limit=1')).toEqual(['s2']);
    expect(await ids('before=nobody')).toEqual([]);
    expect(await ids('search=S2')).toEqual(['s2']);
    expect(await ids('status=running&search=s')).toEqual(['s3', 's2']);
    expect(await ids('owner=nobody%40lab.test')).toEqual([]);
    expect(await ids('owner=nobody')).toEqual([]);
    expect(await ids('name=s2')).toEqual([]);
    const wrong = ['status=gone', 'search=', `search=${'x'.repeat(201)}`, 'name=a%00b', 'before='];
    for (const query of wrong) expect(await ids(query), query).toBe('bad_request');
  });

  it('sessions are filtered by start, phone, tag and category, and times that are none are refused (contract 2 /sessions)', async () => {
    const ids = async (query: string) => {
      const { status, body } = await ask('GET', `/sessions?${query}`);
      return status === 200 ? body.map(({ id }: { id: string }) => id) : body.error;
    };
    expect(await ids('from=2000-01-01')).toEqual(['s3', 's2', 's1']);
    expect(await ids('to=2000-01-01T00:00:00Z')).toEqual([]);
    expect(await ids('from=2000-01-01&to=2000-01-02')).toEqual([]);
    for (const filter of ['udid=nothing', 'tag=nothing', 'category=Timeout'])
      expect(await ids(filter)).toEqual([]);
    for (const field of ['from', 'to']) {
      for (const time of ['yesterday', '2026-13-01', '', '%00'])
        expect(await ids(`${field}=${time}`)).toBe('bad_request');
    }
    for (const query of ['udid=', 'tag=%00', `category=${'x'.repeat(201)}`, 'tag=a&tag=b'])
      expect(await ids(query)).toBe('bad_request');
  });

  it('ids that are none are unknown (contract 2 /sessions)', async () => {
    for (const id of ['nobody', '..%2Fs2', 'S2', '%00', 'constructor']) {
      for (const route of ['', '/session_log']) {
        expect(await ask('GET', `/session/${id}${route}`)).toMatchObject({
          status: 404,
          body: { error: 'not_found' },
        });
      }
    }
  });

  it('the command check has nothing to report without a gate', async () => {
    expect(await ask('GET', '/command-auth/report')).toMatchObject({
      status: 200,
      body: { mode: 'off', clients: [] },
    });
    expect((await ask('GET', '/devices')).body).toEqual([]);
  });
});
