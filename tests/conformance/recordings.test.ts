import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Caller } from '@svc/auth-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDataDir } from '../support/lab.ts';
import { jpeg, PNG, picturesIn, RecordedLab } from './support/recorded-lab.ts';

type As = Readonly<Record<string, string>>;

const NONE = {
  state: 'none',
  startedAt: null,
  endedAt: null,
  bytes: 0,
  pictures: 0,
  chunks: [],
  marks: [],
  deviceLogRows: 0,
};

let lab: RecordedLab;
let root: As;
let sessions = 0;

beforeAll(async () => {
  lab = await RecordedLab.open({ SVC_RECORDING: 'all' });
  root = await lab.root();
});
afterAll(() => lab?.close());

const iso = (at: number) => new Date(at).toISOString();
const recording = async (id: string, as = root) => (await lab.ask(as, `/session/${id}/recording`)).body;
const chunk = async (id: string, index = 0) => {
  const { status, raw } = await lab.ask(root, `/session/${id}/recording/chunks/${index}`);
  expect(status).toBe(200);
  return picturesIn(raw);
};

/** Starts a session on a phone that shows pictures. Ends the session after `during`. */
async function recorded(
  during: (id: string) => unknown = () => undefined,
  { udid = 'phone-1', category = null }: { udid?: string; category?: 'Timeout' | null } = {},
  options: Parameters<RecordedLab['start']>[2] = {},
): Promise<string> {
  sessions += 1;
  const id = `session-${sessions}`;
  await lab.start(id, udid, options);
  await during(id);
  await lab.end(id, category);
  return id;
}

describe('what is recorded', () => {
  it('pictures of the preview, marks and device log, while it runs and afterwards (contract 11)', async () => {
    const began = lab.at;
    const id = await recorded(async (running) => {
      lab.show('phone-1', 1, 2, 2, 3);
      lab.log('phone-1', 'first', 'second');
      expect(await recording(running)).toMatchObject({ state: 'recording', endedAt: null, pictures: 3 });
    });
    expect(await recording(id)).toEqual({
      state: 'complete',
      startedAt: iso(began),
      endedAt: iso(began + 1_000),
      bytes: 600,
      pictures: 3,
      chunks: [{ index: 0, from: iso(began), to: iso(began + 750), pictures: 3, bytes: 600 }],
      marks: [],
      deviceLogRows: 2,
    });
    expect(lab.isFollowed('phone-1')).toBe(true);
  });

  it('chunks are pictures, each behind a line of JSON (contract 11)', async () => {
    const began = lab.at;
    const id = await recorded(() => lab.show('phone-1', 4, 5));
    expect(await chunk(id)).toEqual([
      { at: iso(began), bytes: 200, type: 'image/jpeg', content: Buffer.from(jpeg(4)) },
      { at: iso(began + 250), bytes: 200, type: 'image/jpeg', content: Buffer.from(jpeg(5)) },
    ]);
    const { headers } = await lab.ask(root, `/session/${id}/recording/chunks/0`);
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    for (const index of ['1', '-1', 'x', '0x0', '00', '1e0', '9999999999'])
      expect((await lab.ask(root, `/session/${id}/recording/chunks/${index}`)).status, index).toBe(
        index === '00' ? 200 : 404,
      );
  });

  it('a recording has 4 pictures a second or less, and only when they change (contract 11)', async () => {
    const id = await recorded(() => {
      for (let nth = 0; nth < 40; nth++) {
        lab.show('phone-1', Math.floor(nth / 2));
        lab.at -= 200;
      }
    });
    const times = (await chunk(id)).map(({ at }) => Date.parse(at));
    expect(times.length).toBeGreaterThan(4);
    for (const [nth, at] of times.entries()) {
      const fourth = times[nth - 4];
      if (fourth !== undefined) expect(at - fourth).toBeGreaterThanOrEqual(1_000);
    }
  });

  it('the picture of a moment is the last one until then (contract 11)', async () => {
    const began = lab.at;
    const id = await recorded(() => lab.show('phone-1', 6, 7));
    const at = async (time: string) => {
      const { status, headers, raw } = await lab.ask(root, `/session/${id}/recording/picture?at=${time}`);
      return [status, headers['content-type'], raw[10]];
    };
    expect(await at(iso(began))).toEqual([200, 'image/jpeg', 6]);
    expect(await at(iso(began + 249))).toEqual([200, 'image/jpeg', 6]);
    expect(await at(iso(began + 250))).toEqual([200, 'image/jpeg', 7]);
    expect(await at(encodeURIComponent(iso(began + 251).replace('Z', '+00:00')))).toEqual([
      200,
      'image/jpeg',
      7,
    ]);
    expect((await at(iso(began - 1)))[0]).toBe(404);
  });

  it.each(['', '?at=', '?at=now', '?at=2030-13-01T00:00:00Z', '?at=1', '?at=2030-01-01', '?at=a&at=b'])(
    'a moment that is none is refused: %s (contract 11)',
    async (query) => {
      const id = await recorded(() => lab.show('phone-1', 8));
      const { status, body } = await lab.ask(root, `/session/${id}/recording/picture${query}`);
      expect([status, body.error]).toEqual([400, 'bad_request']);
    },
  );

  it('the device log is read in pages (contract 11)', async () => {
    const id = await recorded(() => lab.log('phone-1', 'one', 'two', 'three'));
    const read = async (query: string) => (await lab.ask(root, `/session/${id}/device_log?${query}`)).body;
    const [at] = (await read('after=0&limit=1')).items.map((row: { at: string }) => row.at);
    expect(await read('after=0&limit=2')).toEqual({
      items: [
        { seq: 1, at, line: 'one' },
        { seq: 2, at, line: 'two' },
      ],
      next: 2,
    });
    expect(await read('after=2&limit=2')).toEqual({ items: [{ seq: 3, at, line: 'three' }], next: null });
    expect(await read('after=3&limit=2')).toEqual({ items: [], next: null });
  });

  it('the device log is read from its start, 1,000 rows a page, without after and limit (contract 11)', async () => {
    const lines = Array.from({ length: 1_001 }, (_, index) => `line ${index + 1}`);
    const id = await recorded(() => lab.log('phone-1', ...lines));
    const read = async (query: string) => (await lab.ask(root, `/session/${id}/device_log${query}`)).body;
    const first = await read('');
    expect([first.items.length, first.items[0].line, first.next]).toEqual([1_000, 'line 1', 1_000]);
    expect((await read('?after=1000')).items).toMatchObject([{ seq: 1_001, line: 'line 1001' }]);
    expect((await read('?limit=1')).next).toBe(1);
  });

  it.each(['after=-1&limit=1', 'after=x&limit=1', 'after=0&limit=0', 'after=0&limit=x'])(
    'a page that is none is refused: %s (contract 11)',
    async (query) => {
      const id = await recorded();
      const { status, body } = await lab.ask(root, `/session/${id}/device_log?${query}`);
      expect([status, body.error]).toEqual([400, 'bad_request']);
    },
  );

  it('no device log of a session that asks for none (contract 11)', async () => {
    const id = await recorded(() => lab.log('phone-1', 'a secret'), {}, { saveDeviceLogs: false });
    expect(await recording(id)).toMatchObject({ state: 'complete', deviceLogRows: 0 });
  });
});

describe('commands', () => {
  it('failed commands of a recorded session keep evidence (contract 11)', async () => {
    const id = await recorded(async (running) => {
      lab.show('phone-1', 9);
      expect(await lab.execute(running, 'captureEvidence', { label: 'cart' })).toEqual({ recorded: true });
      expect(await lab.execute(running, 'captureEvidence')).toEqual({ recorded: true });
    });
    const { marks, pictures } = await recording(id);
    expect(marks).toEqual([
      { at: expect.any(String), kind: 'evidence', label: 'cart' },
      { at: expect.any(String), kind: 'evidence' },
    ]);
    expect(pictures).toBe(3);
    expect((await chunk(id)).map(({ content }) => content[10])).toEqual([9, 9, 9]);
  });

  it('mark a failure with its picture (contract 11)', async () => {
    const id = await recorded(async (running) => {
      lab.show('phone-1', 10);
      expect(
        await lab.execute(running, 'setSessionStatus', { status: 'failed', reason: 'wrong total' }),
      ).toEqual({
        recorded: true,
      });
    });
    const { marks, pictures } = await recording(id);
    expect([marks, pictures]).toMatchObject([[{ kind: 'failure', label: 'wrong total' }], 2]);
  });

  it('the svc: commands take pictures through the driver of a phone without a preview (contract 11)', async () => {
    const asked: string[] = [];
    lab.running.services.modules.recordings.offers.recorder.takeScreenshots(async (id) => {
      asked.push(id);
      return PNG;
    });
    const id = await recorded(
      async (running) => {
        expect(await lab.execute(running, 'captureEvidence', { label: 'x' })).toEqual({ recorded: true });
        await lab.execute(running, 'setSessionStatus', { status: 'passed' });
        await lab.execute(running, 'setSessionStatus', { status: 'failed' });
      },
      { udid: 'bare' },
    );
    expect(asked).toEqual([id, id]);
    expect((await chunk(id)).map(({ type, content }) => [type, content.equals(PNG)])).toEqual([
      ['image/png', true],
      ['image/png', true],
    ]);
    expect((await recording(id)).marks.map(({ kind }: { kind: string }) => kind)).toEqual([
      'evidence',
      'failure',
    ]);
  });

  it('pause and resume; nothing is kept in between (contract 11)', async () => {
    const id = await recorded(async (running) => {
      lab.show('phone-1', 11);
      expect(await lab.execute(running, 'pauseRecording')).toEqual({ recorded: true });
      lab.show('phone-1', 12, 13);
      lab.log('phone-1', 'a password');
      expect(await lab.execute(running, 'captureEvidence')).toMatchObject({ recorded: false });
      const { status } = await lab.ask(root, `/session/${running}/recording/picture?at=${iso(lab.at)}`);
      expect(status).toBe(404);
      expect(await lab.execute(running, 'resumeRecording')).toEqual({ recorded: true });
      lab.at += 250;
      lab.show('phone-1', 14);
    });
    expect((await chunk(id)).map(({ content }) => content[10])).toEqual([11, 13, 14]);
    const { marks, deviceLogRows } = await recording(id);
    expect([marks.map(({ kind }: { kind: string }) => kind), deviceLogRows]).toEqual([
      ['paused', 'resumed'],
      0,
    ]);
  });

  it('the svc: commands of a session say that it is not recorded (contract 11)', async () => {
    const id = await recorded(
      async (running) => {
        for (const name of ['captureEvidence', 'pauseRecording', 'resumeRecording'])
          expect(await lab.execute(running, name)).toEqual({
            recorded: false,
            message: 'this session is not recorded',
          });
        expect(lab.isFollowed('phone-2')).toBe(false);
      },
      { udid: 'phone-2' },
      { record: 'off' },
    );
    expect(await recording(id)).toEqual(NONE);
  });
});

describe('which sessions are recorded', () => {
  it('`failures` keeps the recording of a session that failed, and no other (contract 11)', async () => {
    const options = { record: 'failures' } as const;
    const passed = await recorded(
      async (id) => {
        lab.show('phone-1', 20);
        await lab.execute(id, 'setSessionStatus', { status: 'failed' });
        await lab.execute(id, 'setSessionStatus', { status: 'passed' });
      },
      {},
      options,
    );
    expect(await recording(passed)).toEqual(NONE);
    const failed = await recorded(
      (id) => lab.execute(id, 'setSessionStatus', { status: 'failed' }),
      {},
      options,
    );
    expect((await recording(failed)).state).toBe('complete');
    const lost = await recorded(() => lab.show('phone-1', 21), { category: 'Timeout' }, options);
    expect(await recording(lost)).toMatchObject({
      state: 'complete',
      marks: [{ kind: 'failure', label: 'Timeout' }],
    });
  });

  it('no session is recorded by default, and a changed setting applies to sessions that start later (contract 11)', async () => {
    const other = await RecordedLab.open();
    const as = await other.root();
    const states = async (id: string) => (await other.ask(as, `/session/${id}/recording`)).body.state;
    await other.start('s1', 'phone-1');
    await other.start('s2', 'phone-2', { record: 'all' });
    expect([await states('s1'), await states('s2')]).toEqual(['none', 'recording']);
    for (const id of ['s1', 's2']) await other.end(id);
    const saved = await other.ask(as, '/config', 'POST', { recording: 'all' });
    expect(saved.body).toMatchObject({ settings: { recording: 'all' }, defaults: { recording: 'off' } });
    await other.start('s3', 'phone-1');
    await other.start('s4', 'phone-2', { record: 'off' });
    expect([await states('s3'), await states('s4')]).toEqual(['recording', 'none']);
    await other.close();
  });

  it('none while recordings are disabled, whatever is asked for; the setting cannot be saved (contract 11)', async () => {
    const other = await RecordedLab.open({ SVC_RECORDING: 'disabled' });
    const as = await other.root();
    await other.start('s1', 'phone-1', { record: 'all' });
    expect((await other.ask(as, '/session/s1/recording')).body).toEqual(NONE);
    const saved = await other.ask(as, '/config', 'POST', { recording: 'all' });
    expect([saved.status, saved.body]).toMatchObject([400, { error: 'invalid_setting', field: 'recording' }]);
    await other.close();
  });
});

describe('access', () => {
  const memberOf = async (email: string) => {
    const made = await lab.ask(root, '/users', 'POST', {
      email,
      name: email,
      role: 'Member',
      password: 'a password for tests',
    });
    const signedIn = await lab.ask({}, '/auth/login', 'POST', { email, password: 'a password for tests' });
    const [cookie] = [signedIn.headers['set-cookie']].flat();
    return { id: made.body.id as string, as: { cookie: String(cookie).split(';')[0] as string } };
  };
  const start = async (id: string, owner: string) => {
    const caller = { account: { id: owner }, credential: { agent: null } } as unknown as Caller;
    await lab.start(id, 'phone-1', {}, { caller });
    lab.show('phone-1', 30);
    lab.log('phone-1', 'a line');
  };
  const READS = [
    '/recording',
    '/recording/chunks/0',
    `/recording/picture?at=2030-01-02T00:00:00Z`,
    '/device_log?after=0&limit=5',
    '/report',
  ];

  it('a recording is for those who see the session, and audited once an hour and person (contract 11)', async () => {
    const ana = await memberOf('ana@lab.test');
    const bob = await memberOf('bob@lab.test');
    await start('owned', ana.id);
    await lab.end('owned');
    for (const path of READS) {
      expect((await lab.ask(ana.as, `/session/owned${path}`)).status, path).toBe(200);
      expect((await lab.ask(root, `/session/owned${path}`)).status, path).toBe(200);
      const hidden = await lab.ask(bob.as, `/session/owned${path}`);
      const unknown = await lab.ask(bob.as, `/session/nobody${path}`);
      expect([hidden.status, hidden.body], path).toEqual([404, unknown.body]);
      expect((await lab.ask({}, `/session/owned${path}`)).status).toBe(401);
    }
    // Another user gets no error about the query, because the server checks first whether the session is visible.
    for (const path of ['/recording/picture', '/device_log?after=x']) {
      expect((await lab.ask(ana.as, `/session/owned${path}`)).status, path).toBe(400);
      expect((await lab.ask(bob.as, `/session/owned${path}`)).status, path).toBe(404);
    }
    const rows = async () =>
      (await lab.ask(root, '/audit?limit=200')).body.items.filter(
        ({ event, target }: { event: string; target: string }) =>
          event === 'recording_viewed' && target === 'owned',
      );
    expect(await rows()).toMatchObject([{ actorEmail: 'admin@svc.local', outcome: 'success' }]);
    lab.at += 61 * 60_000;
    await lab.ask(root, '/session/owned/report');
    expect(await rows()).toHaveLength(2);
  });

  it('a recording is deleted for the owner and override admins, once the session does not record any more (contract 11)', async () => {
    const eve = await memberOf('eve@lab.test');
    const mal = await memberOf('mal@lab.test');
    await start('to-delete', eve.id);
    const remove = (as: As) => lab.ask(as, '/session/to-delete/recording', 'DELETE');
    expect(await remove(eve.as)).toMatchObject({ status: 409, body: { error: 'session_running' } });
    await lab.end('to-delete');
    expect((await remove(mal.as)).status).toBe(404);
    const before = await recording('to-delete');
    expect((await remove(eve.as)).status).toBe(204);
    expect(await recording('to-delete')).toEqual({
      ...NONE,
      state: 'removed',
      startedAt: before.startedAt,
      endedAt: before.endedAt,
    });
    for (const path of ['/recording/chunks/0', `/recording/picture?at=${before.startedAt}`])
      expect((await lab.ask(root, `/session/to-delete${path}`)).status).toBe(404);
    expect((await lab.ask(root, '/session/to-delete/device_log?after=0&limit=5')).body).toEqual({
      items: [],
      next: null,
    });
    expect((await remove(eve.as)).status).toBe(204);
    const { items } = (await lab.ask(root, '/audit?limit=200')).body;
    const rows = items.filter(
      ({ event, target }: { event: string; target: string }) =>
        event === 'recording_deleted' && target === 'to-delete',
    );
    expect(rows).toMatchObject([{ actorEmail: 'eve@lab.test', outcome: 'success' }]);
  });

  it('an `svc-mcp` bearer needs svc:recordings to read a recording (contract 11)', async () => {
    const ivy = await memberOf('ivy@lab.test');
    await start('by-agent', ivy.id);
    await lab.end('by-agent');
    const bearer = async (scopes: string[]) => {
      const { body } = await lab.ask(ivy.as, '/auth/token', 'POST', { audience: 'svc-mcp', scopes });
      return { authorization: `Bearer ${body.token}` };
    };
    const without = await bearer(['auto:use', 'svc:analytics:read']);
    const allowed = await bearer(['svc:recordings']);
    for (const path of READS) {
      expect((await lab.ask(allowed, `/session/by-agent${path}`)).status, path).toBe(200);
      expect(await lab.ask(without, `/session/by-agent${path}`)).toMatchObject({
        status: 403,
        body: { error: 'insufficient_scope', required: 'svc:recordings' },
      });
    }
    expect((await lab.ask(without, '/session/by-agent/recording', 'DELETE')).status).toBe(403);
    const { body } = await lab.ask(ivy.as, '/auth/token', 'POST', {});
    const rest = await lab.ask({ authorization: `Bearer ${body.token}` }, '/session/by-agent/recording');
    expect(rest.status).toBe(200);
  });
});

describe('bounds', () => {
  it('a full recording leaves out the newest pictures, but not evidence (contract 11)', async () => {
    const other = await RecordedLab.open({ SVC_RECORDING: 'all', SVC_RECORDING_MAX_BYTES: '500' });
    const as = await other.root();
    await other.start('s1', 'phone-1');
    other.show('phone-1', 1, 2, 3, 4);
    expect((await other.ask(as, '/session/s1/recording')).body).toMatchObject({ pictures: 2, bytes: 400 });
    expect(await other.execute('s1', 'captureEvidence')).toEqual({ recorded: true });
    expect((await other.ask(as, '/session/s1/recording')).body).toMatchObject({ pictures: 3, bytes: 600 });
    const { body } = await other.ask(as, '/metrics');
    expect(body).toMatch(/^svc_recording_dropped_total\{reason="recording full"\} 2$/m);
    expect(body).toMatch(/^svc_recording_pictures_total 3$/m);
    expect(body).toMatch(/^svc_recording_bytes_total 600$/m);
    await other.close();
  });

  it('remove the oldest recordings beyond the bytes of all (contract 11)', async () => {
    const other = await RecordedLab.open({ SVC_RECORDING: 'all', SVC_RECORDINGS_MAX_BYTES: '3000' });
    const as = await other.root();
    for (const id of ['s1', 's2', 's3', 's4']) {
      await other.start(id, 'phone-1');
      other.show('phone-1', 1, 2, 3, 4, 5);
      await other.end(id);
      other.at += 1_000;
      await other.ask(as, `/session/${id}/recording`);
    }
    const state = async (id: string) => (await other.ask(as, `/session/${id}/recording`)).body.state;
    await expect.poll(() => state('s1')).toBe('removed');
    expect(await state('s4')).toBe('complete');
    await other.close();
  });
});

describe('a restart', () => {
  it('a restart keeps what was recorded, and completes what was interrupted (contract 11)', async () => {
    const dataDir = freshDataDir();
    const env = { SVC_RECORDING: 'all', SVC_DATA_DIR: dataDir };
    const first = await RecordedLab.open(env);
    await first.start('s1', 'phone-1');
    first.show('phone-1', 1, 2);
    await first.end('s1');
    await first.start('s2', 'phone-1', { record: 'failures' });
    first.show('phone-1', 3);
    await first.close();
    const second = await RecordedLab.open(env);
    const as = await second.root();
    const view = async (id: string) => (await second.ask(as, `/session/${id}/recording`)).body;
    expect(await view('s1')).toMatchObject({ state: 'complete', pictures: 2 });
    expect(await view('s2')).toMatchObject({ state: 'complete', pictures: 1 });
    expect((await second.ask(as, '/session/s2')).body.failureCategory).toBe('Hub Restart');
    await second.close();
    expect(readdirSync(join(dataDir, 'recordings', 'temporary'))).toEqual([]);
  });
});
