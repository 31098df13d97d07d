import { sampleApiToken } from '@svc/auth-core/testing';
import { sampleAdmission, sampleStart } from '@svc/device-lab/testing';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp, type RunningApp } from '../support/app.ts';

const COMMANDS = 2_000;
const KEYS = 3_000;

/** Reads whose responses grow with stored data, on the API alone. */
describe('large reads', () => {
  let running: RunningApp;
  let url: string;
  let cookie: string;

  beforeAll(async () => {
    running = await openApp();
    const { modules } = running.services;
    const { lab } = modules.lab.offers;
    url = await running.app.listen({ port: 0, host: '127.0.0.1' });
    const opened = await modules.accounts.offers.passwordSignIn.open(
      { email: 'admin@svc.local', password: 'svc-admin-please-change', network: '', userAgent: null },
      { address: null, peer: null, requestId: null },
    );
    cookie = `svc_dashboard_session=${opened.cookie}`;
    await lab.creates.createSession(sampleAdmission(), {}, sampleStart('s1', { capabilities: {} }));
    const words = 'words of a test '.repeat(60);
    for (let count = 0; count < COMMANDS; count++) {
      const text = JSON.stringify({ value: { words, count } });
      lab.commandLog.add({
        sessionId: 's1',
        ownerId: null,
        at: 1_000 + count,
        method: 'POST',
        path: '/session/s1/url',
        status: 200,
        durationMs: 1,
        size: 2 * text.length,
        body: { url: words },
        response: () => text,
        shed: () => undefined,
      });
      if (count % 100 === 0) lab.commandLog.flush();
    }
  });
  afterAll(() => running.close());

  const read = async (path: string) => {
    const { statusCode, headers, body } = await request(`${url}/svc/api${path}`, { headers: { cookie } });
    return { status: statusCode, headers, text: await body.text() };
  };

  it('a session’s log and report are complete and in order (contract 2, 11)', async () => {
    const log = await read('/session/s1/session_log');
    expect([log.status, log.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const rows: { seq: number }[] = JSON.parse(log.text);
    const last = COMMANDS;
    expect(rows.map(({ seq }) => seq)).toEqual(
      Array.from({ length: rows.length }, (_, index) => last - rows.length + 1 + index),
    );
    expect(rows.at(-1)).toEqual({
      seq: last,
      at: new Date(1_000 + last - 1).toISOString(),
      method: 'POST',
      path: '/session/s1/url',
      status: 200,
      durationMs: 1,
      body: { url: expect.stringContaining('words') },
      response: { value: { words: expect.any(String), count: last - 1 } },
      name: 'setUrl',
      summary: expect.stringContaining('words'),
    });
    const page = await read(`/session/s1/session_log?after=${last - 2}&limit=1`);
    expect(JSON.parse(page.text)).toMatchObject([{ seq: last - 1 }]);
    const { status, text } = await read('/session/s1/report');
    expect([status, text.match(/<tr><td>/g)?.length, text.endsWith('</html>\n')]).toEqual([
      200,
      rows.length,
      true,
    ]);
  });

  it('large reads of one account stop no other request, and one that waits too long gets 429 (contract 2)', async () => {
    let isOver = false;
    const reads = Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        read(`/session/s1/${index % 2 === 0 ? 'session_log' : 'report'}`),
      ),
    ).finally(() => {
      isOver = true;
    });
    const times: number[] = [];
    while (!isOver) {
      const began = performance.now();
      expect((await read('/health')).status).toBe(200);
      times.push(performance.now() - began);
    }
    const answers = await reads;
    expect(new Set(answers.map(({ status }) => status)).size).toBeLessThanOrEqual(2);
    for (const { status, headers, text } of answers) {
      if (status === 200) continue;
      expect([status, headers['retry-after']]).toEqual([429, '5']);
      expect(JSON.parse(text)).toMatchObject({ error: 'rate limit exceeded', retryAfter: 5 });
    }
    // In one piece, the 8 reads would take a second, in which the server would answer no probe.
    expect(times.length).toBeGreaterThan(20);
    expect(times.sort((a, b) => a - b)[Math.floor(times.length / 2)]).toBeLessThan(50);
  });

  it('a list longer than a slice is complete and in order, and other work runs while it is made (contract 2)', async () => {
    const { stores } = running.services;
    const root = stores.accounts.byEmail('admin@svc.local')?.id as string;
    stores.transaction((tx) => {
      for (let count = 0; count < KEYS; count++) {
        const hash = count.toString(16).padStart(64, '0');
        // Two keys of a time, so that steps also end between keys of the same time.
        const made = { name: `key ${count}`, createdAt: count >> 1 };
        tx.apiTokens.insert(sampleApiToken(`key-${count}`, root, { ...made, ownerId: root }), hash);
      }
    });
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    const answer = read('/apikeys').finally(() => {
      isOver = true;
    });
    count();
    const { status, headers, text } = await answer;
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const keys: { id: string; name: string; createdAt: string; hash?: string }[] = JSON.parse(text);
    expect(new Set(keys.map(({ id }) => id)).size).toBe(KEYS);
    const times = keys.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().reverse());
    expect(Object.keys(keys[0] ?? {})).not.toContain('hash');
    expect(turns).toBeGreaterThan(20);
    const page: { name: string }[] = JSON.parse((await read(`/apikeys?limit=2&before=${keys[4]?.id}`)).text);
    expect(page.map(({ name }) => name)).toEqual(keys.slice(5, 7).map(({ name }) => name));
  });
});
