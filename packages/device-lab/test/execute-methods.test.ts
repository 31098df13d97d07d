import { type LabStores, labStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { DeviceLab } from '../src/device-lab.ts';
import { executeMethodOf, runExecuteMethod, UnknownExecuteMethod } from '../src/execute-methods.ts';
import { sampleAdmission, sampleStart } from '../src/testing/index.ts';

let store: LabStores['sessions'];
let lab: DeviceLab;

beforeEach(async () => {
  store = labStores().sessions;
  lab = new DeviceLab({
    sessions: store,
    commands: labStores().commands,
    deviceSettings: labStores().deviceSettings,
    sources: [],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock: { now: () => 1 },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  await lab.creates.createSession(sampleAdmission(), {}, sampleStart('s1'));
});

const run = (name: string, args: unknown) => runExecuteMethod(lab, 's1', name, args);

describe('scripts', () => {
  it.each([
    ['svc: addTag', 'addTag'],
    ['svc:addTag', 'addTag'],
    ['svc:  addTag ', 'addTag'],
    ['svc: no.such-thing', 'no.such-thing'],
    ['svc', undefined],
    ['svc:', ''],
    ['svc: ', ''],
    ['svcs: addTag', undefined],
    ['SVC: addTag', undefined],
    [' svc: addTag', undefined],
    [`svc:${' '.repeat(1_000_000)}!`, undefined],
    ['svc: addTag()', undefined],
    ['svc: while (true) {}', undefined],
    ['return "svc: addTag"', undefined],
    ['svc: addTag\nsvc: addTag', undefined],
    [7, undefined],
    [undefined, undefined],
  ])('%j names %j (contract 6.5)', (script, name) => {
    expect(executeMethodOf(script)).toBe(name);
  });
});

describe('own commands', () => {
  it('the svc: commands take no argument or one object (contract 6.5)', () => {
    for (const args of [undefined, null, [], [{}]])
      expect(run('captureEvidence', args)).toHaveProperty('recorded');
    for (const args of [[1], [[]], 'x', {}, [{}, {}], [null]]) {
      const message = 'expects one object as its argument';
      expect(run('captureEvidence', args)).toEqual({ recorded: false, message });
    }
  });

  it('any other name is unknown, those of every object included (contract 6.5)', () => {
    for (const name of ['', 'makeCoffee', 'constructor', 'toString', 'setsessionname']) {
      expect(() => run(name, [{}])).toThrow(UnknownExecuteMethod);
    }
  });

  it('a svc: command that cannot be stored is answered instead of throwing (contract 6.5)', () => {
    store.failing = new Error('disk full');
    expect(run('setSessionName', [{ name: 'x' }])).toEqual({ recorded: false, message: expect.any(String) });
    expect(lab.sessions.byId('s1')?.name).toBeNull();
  });

  it('tags are kept once each, up to fifty (contract 6.5)', () => {
    for (let count = 0; count < 50; count++)
      expect(run('addTag', [{ tag: `t${count}` }])).toEqual({ recorded: true });
    expect(run('addTag', [{ tag: 't7' }])).toEqual({ recorded: true });
    expect(run('addTag', [{ tag: 'one more' }])).toMatchObject({ recorded: false });
    expect(store.rows.find(({ id }) => id === 's1')?.tags).toHaveLength(50);
  });

  it('commands about a recording say that there is none, unless the session is recorded (contract 11)', async () => {
    const message = 'this session is not recorded';
    for (const name of ['captureEvidence', 'pauseRecording', 'resumeRecording'])
      expect(run(name, [{}])).toEqual({ recorded: false, message });
    const asked: unknown[] = [];
    lab.recorder = {
      captureEvidence: (...args) => {
        asked.push(args);
        return Promise.resolve({ recorded: true });
      },
      pause: () => undefined,
      resume: () => ({ recorded: true }),
      statusSet: (...args) => {
        asked.push(args);
        return undefined;
      },
    };
    expect(await run('captureEvidence', [{ label: ' cart token=canary ' }])).toEqual({ recorded: true });
    expect(run('pauseRecording', [])).toEqual({ recorded: false, message });
    expect(run('resumeRecording', [])).toEqual({ recorded: true });
    expect(run('setSessionStatus', [{ status: 'failed' }])).toEqual({ recorded: true });
    expect(asked).toEqual([
      ['s1', expect.stringMatching(/^cart (?!.*canary)/)],
      ['s1', 'failed', null],
    ]);
    for (const label of ['', 7, 'x'.repeat(257)])
      expect(run('captureEvidence', [{ label }])).toMatchObject({ recorded: false });
  });

  it('a secret that slipped into a name or a reason is not kept', () => {
    run('setSessionName', [{ name: 'login password=canary' }]);
    run('setSessionStatus', [{ status: 'failed', reason: 'Authorization: Bearer canary' }]);
    expect(JSON.stringify(store.rows)).not.toContain('canary');
  });

  it('a session that passed after all has no reason to fail', () => {
    run('setSessionStatus', [{ status: 'failed', reason: 'flaky' }]);
    run('setSessionStatus', [{ status: 'passed', reason: 'second try' }]);
    expect(store.rows.find(({ id }) => id === 's1')).toMatchObject({ status: 'passed', failureReason: null });
  });
});
