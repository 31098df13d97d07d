import { Audit } from '@svc/auth-core';
import { fakeClock, seededRandom } from '@svc/auth-core/testing';
import { memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { aiAddress } from '../src/saved/ai-address.ts';
import { SETTING_NAMES, type SettingName, type SettingValues } from '../src/saved/setting-rules.ts';
import { effectiveSettings, Settings, startUpSettings } from '../src/saved/settings.ts';
import { read } from './read.ts';
import { callerOf, NOON, refusalOf } from './support.ts';

const root = callerOf('Super admin');

let stores: ReturnType<typeof memoryStores>;
let audit: Audit;

beforeEach(() => {
  stores = memoryStores();
  audit = new Audit(stores, fakeClock(NOON), seededRandom());
});

/** Returns the settings of a server that starts with the stored values. */
function started(env: Record<string, string> = {}): Settings {
  return new Settings({ stores, audit }, startUpSettings(read(env).config));
}

const USABLE: { readonly [Name in SettingName]: readonly (readonly [unknown, SettingValues[Name]])[] } = {
  maxSessions: [-1, 0, 1, 250].map((value) => [value, value] as const),
  eventLogRetentionDays: [1, 36_500].map((value) => [value, value] as const),
  sessionRetentionDays: [1, 36_500].map((value) => [value, value] as const),
  auditRetentionDays: [365, 36_500].map((value) => [value, value] as const),
  recording: (['off', 'failures', 'all', 'disabled'] as const).map((value) => [value, value] as const),
  clean: (['off', 'apps', 'data'] as const).map((value) => [value, value] as const),
  labName: [
    [' Basement ', 'Basement'],
    ['実験室', '実験室'],
    ['x'.repeat(60), 'x'.repeat(60)],
  ],
  usageByPerson: (['on', 'off'] as const).map((value) => [value, value] as const),
  aiProvider: [
    ['openai', 'openai'],
    ['Ollama', 'ollama'],
  ],
  aiModel: [[' llama3:8b ', 'llama3:8b']],
  aiBaseUrl: [['http://127.0.0.1:11434/v1/', 'http://127.0.0.1:11434/v1']],
};

const UNUSABLE: { readonly [Name in SettingName]: readonly unknown[] } = {
  maxSessions: [1.5, '5', 1e300, Number.MAX_SAFE_INTEGER + 1],
  eventLogRetentionDays: [0, -1, 1.5, 36_501, '30'],
  sessionRetentionDays: [0, -1, 1.5, 36_501, '30'],
  auditRetentionDays: [0, 1, 364, 36_501, 400.5],
  recording: ['', 'on', 'everything', 7],
  clean: ['', 'on', 'everything', 7],
  labName: ['', ' ', 'x'.repeat(61), 'a\nb', 'a\u202eb', 7],
  usageByPerson: ['', 'yes', 1],
  aiProvider: ['', 'none', 7],
  aiModel: ['', ' ', 'a\0b', '\ud800', 'x'.repeat(201), 7],
  aiBaseUrl: ['', 'x', 'ftp://a', 'http://u:p@a', 'http://a/?x', 'http://a/#x', 7],
};

describe('a setting (contract 2, /config)', () => {
  it.each(SETTING_NAMES)('%s takes what can work, and nothing else', (name) => {
    const settings = started();
    for (const [given, is] of USABLE[name]) {
      expect(settings.save(root, { [name]: given }).settings[name]).toEqual(is);
    }
    const before = settings.current();
    for (const bad of [...UNUSABLE[name], true, [], {}]) {
      const { code, fields } = refusalOf(() => settings.save(root, { [name]: bad }));
      expect([code, fields.field], JSON.stringify(bad)).toEqual(['invalid_setting', name]);
      expect(fields.message).toMatch(new RegExp(`^${name} `));
    }
    expect(settings.current()).toEqual(before);
  });

  it('a setting is saved with all others that are named, or none is (specification 9.2)', () => {
    const settings = started();
    const { code, fields } = refusalOf(() =>
      settings.save(root, { maxSessions: 3, aiModel: 'm', aiBaseUrl: 'nowhere' }),
    );
    expect([code, fields.field]).toEqual(['invalid_setting', 'aiBaseUrl']);
    expect(settings.list(root).settings).toEqual(settings.list(root).defaults);
    expect(stores.audit.page(null, 9)).toEqual([]);
  });

  it('a setting counts before the start-up value, after a restart too, until it is taken back (specification 9.2)', () => {
    const env = { SVC_MAX_SESSIONS: '8', SVC_AI_MODEL: 'start', SVC_EVENT_LOG_RETENTION_DAYS: '7' };
    started(env).save(root, { maxSessions: 2, aiModel: 'saved' });
    for (const settings of [started(env), started(env)]) {
      expect(settings.current()).toMatchObject({
        maxSessions: 2,
        aiModel: 'saved',
        eventLogRetentionDays: 7,
      });
      expect(settings.list(root).defaults).toMatchObject({ maxSessions: 8, aiModel: 'start' });
    }
    const settings = started(env);
    expect(settings.save(root, { maxSessions: null }).settings).toMatchObject({
      maxSessions: 8,
      aiModel: 'saved',
    });
    expect(started(env).current().maxSessions).toBe(8);
    expect(stores.settings.all().has('maxSessions')).toBe(false);
  });

  it('a setting is a Super admin’s with the scope admin (contract 3.3)', () => {
    const settings = started();
    const save = (caller: typeof root) => refusalOf(() => settings.save(caller, { maxSessions: 1 })).code;
    expect(save(callerOf('Admin'))).toBe('insufficient_role');
    expect(save(callerOf('Super admin', ['devices']))).toBe('insufficient_scope');
  });

  it('a setting leaves a row that names the settings and none of their values (contract 2, /config)', () => {
    const settings = started();
    settings.save(root, {});
    settings.save(root, { aiModel: 'hunter2', maxSessions: 31_337 });
    expect(stores.audit.page(null, 9)).toEqual([
      expect.objectContaining({
        event: 'authz_admin',
        actor: root.account.id,
        target: 'settings',
        reason: 'settings changed: maxSessions, aiModel',
      }),
    ]);
    expect(JSON.stringify(stores.audit.page(null, 9))).not.toMatch(/hunter2|31337/);
  });

  it('a setting that another version saved and this one cannot use counts as not saved (contract 2, /config)', () => {
    stores.transaction((tx) =>
      tx.settings.save(
        new Map<string, unknown>([
          ['maxSessions', 'many'],
          ['aiProvider', 'other'],
          ['aiModel', 'm'],
          ['unheardOf', 1],
        ]),
      ),
    );
    const { settings, defaults } = started({ SVC_MAX_SESSIONS: '4' }).list(root);
    expect(settings).toEqual({ ...defaults, aiModel: 'm' });
  });

  it('the retention of the audit trail cannot be set below the minimum of the host (contract 2, /audit)', () => {
    const env = { SVC_AUDIT_RETENTION_DAYS: '30' };
    expect(started(env).save(root, { auditRetentionDays: 60 }).settings.auditRetentionDays).toBe(60);
    expect(refusalOf(() => started(env).save(root, { auditRetentionDays: 29 })).code).toBe('invalid_setting');
    expect(started({ SVC_AUDIT_RETENTION_DAYS: '90' }).current().auditRetentionDays).toBe(90);
  });
});

describe('settings that count', () => {
  const startUp = startUpSettings(read({ SVC_MAX_SESSIONS: '9', SVC_AI_PROVIDER: 'ollama' }).config);

  it('settings that count are the saved ones where usable, else those of the start, whatever is stored (specification 9.2)', () => {
    const stored = fc.dictionary(
      fc.constantFrom<string>(...SETTING_NAMES, 'other', '__proto__', 'toString'),
      fc.oneof(fc.jsonValue(), fc.integer(), fc.constantFrom('openai', 'http://a.test', 'm')),
    );
    fc.assert(
      fc.property(stored, (values) => {
        const saved = new Map(Object.entries(values));
        const effective = effectiveSettings(startUp, saved);
        expect(Object.keys(effective)).toEqual([...SETTING_NAMES]);
        for (const name of SETTING_NAMES) {
          const usable = effective[name] !== startUp[name];
          if (usable) expect(saved.has(name)).toBe(true);
          if (!saved.has(name)) expect(effective[name]).toBe(startUp[name]);
        }
      }),
    );
  });

  it('settings that count are worked out once for as long as none is saved', () => {
    let all: ReadonlyMap<string, unknown> = new Map([['maxSessions', 3]]);
    const settings = new Settings({ stores: { ...stores, settings: { all: () => all } }, audit }, startUp);
    const first = settings.current();
    expect(first.maxSessions).toBe(3);
    expect(settings.current()).toBe(first);
    all = new Map();
    expect(settings.current()).toEqual(startUp);
  });
});

it('recordings that the host has ruled out stay so, whatever was saved before (contract 11)', () => {
  started().save(root, { recording: 'all' });
  const settings = started({ SVC_RECORDING: 'disabled' });
  expect(settings.current().recording).toBe('disabled');
  for (const recording of ['off', 'failures', 'all', 'disabled']) {
    const { code, fields } = refusalOf(() => settings.save(root, { recording }));
    expect([code, fields.field]).toEqual(['invalid_setting', 'recording']);
  }
  expect(started().current().recording).toBe('all');
});

describe('the address of the AI provider (specification 9.2)', () => {
  const ai = (aiProvider: SettingValues['aiProvider'], aiBaseUrl: string | null = null) => ({
    aiProvider,
    aiBaseUrl,
  });

  it('the address of the AI provider is the one that is set, else the provider’s own, else none (specification 9.2)', () => {
    const at = (settings: ReturnType<typeof ai>) => aiAddress(settings, settings, null)?.baseUrl ?? null;
    expect(at(ai('openai', 'http://a.test/v1'))).toBe('http://a.test/v1');
    expect(at(ai('openai'))).toBe('https://api.openai.com/v1');
    expect(at(ai('ollama'))).toBe('http://127.0.0.1:11434/v1');
    expect(at(ai('openai-compatible'))).toBeNull();
    expect(at(ai(null))).toBeNull();
    expect(at(ai(null, 'http://a.test'))).toBe('http://a.test');
  });

  it('the address of the AI provider gets the key of the host only where the host’s own settings named it (specification 9.2)', () => {
    const key = (now: ReturnType<typeof ai>, start: ReturnType<typeof ai>) =>
      aiAddress(now, start, 'sk-hunter2')?.apiKey;
    const start = ai('openai-compatible', 'https://models.test/v1');
    expect(key(start, start)).toBe('sk-hunter2');
    expect(key(ai(null, 'https://models.test/v1'), start)).toBe('sk-hunter2');
    expect(key(ai('openai'), ai('openai'))).toBe('sk-hunter2');
    for (const elsewhere of [
      'https://evil.test/v1',
      'http://models.test/v1',
      'https://models.test:8443/v1',
      'https://models.test/v1.evil.test',
      'https://models.test/v1/../team-b',
      'https://models.test',
    ]) {
      expect(key(ai(null, elsewhere), start), elsewhere).toBeNull();
    }
    expect(key(ai('openai'), start)).toBeNull();
    expect(key(ai('openai'), ai(null))).toBeNull();
    expect(key(ai(null, 'https://evil.test'), ai(null))).toBeNull();
  });
});
