import { describe, expect, it } from 'vitest';
import { SessionApps } from '../src/apps/session-apps.ts';
import { CreateRefused } from '../src/create-refused.ts';
import { sampleAdmission } from '../src/testing/index.ts';

const OWNER = { account: { id: 'owner' } } as never;
const OWNED = sampleAdmission({ caller: OWNER, lacksCredentials: false });
const NOTE = 'https://elsewhere.test/app.apk';

function sessionApps({
  baseUrl = 'http://127.0.0.1:4723' as string | null,
  ofNodes = {} as Record<string, string>,
  hubUrl = null as string | null,
} = {}) {
  const issued: string[] = [];
  const apps = new SessionApps({
    library: { has: (id) => ['a', 'b'].includes(id) },
    tickets: {
      issue: async (caller, { audience, resource }) => {
        expect(caller).toBe(OWNER);
        issued.push(`${audience} ${resource}`);
        return { ticket: `T${issued.length}` };
      },
    },
    baseUrl: (node) => (node === null ? baseUrl : (ofNodes[node] ?? null)),
    hubUrl,
  });
  return { apps, issued };
}

const address = (id: string, ticket: number) =>
  `http://127.0.0.1:4723/svc/api/apps/${id}/download?ticket=T${ticket}`;

describe('apps of the library in capabilities (contract 2, apps)', () => {
  it('apps of the library in capabilities are found in every view and place Appium reads, and get a ticket of their own each (contract 2, apps)', async () => {
    const wanted = {
      alwaysMatch: { 'appium:app': 'svc:app/a', 'appium:note': 'svc:app/a', app: 'svc:app/a' },
      firstMatch: [
        { 'appium:options': { app: 'svc:app/b', 'appium:otherApps': ['svc:app/a', NOTE, 7] } },
        { 'appium:otherApps': '["svc:app/b"]', 'appium:options': { 'appium:app': NOTE } },
      ],
    };
    const { apps, issued } = sessionApps();
    const named = apps.namedIn(OWNED, wanted);
    const before = structuredClone(wanted);
    expect(wanted).toEqual(before);
    await named?.place(wanted);
    expect(wanted).toEqual({
      alwaysMatch: { ...before.alwaysMatch, 'appium:app': address('a', 1) },
      firstMatch: [
        { 'appium:options': { app: address('b', 2), 'appium:otherApps': [address('a', 3), NOTE, 7] } },
        { 'appium:otherApps': JSON.stringify([address('b', 4)]), 'appium:options': { 'appium:app': NOTE } },
      ],
    });
    expect(issued).toEqual(['a', 'b', 'a', 'b'].map((id) => `svc-app-download ${id}`));
    named?.hide(wanted);
    expect(wanted).toEqual(before);
  });

  it('an app for a device of a node gets an address of this server that the node can reach, and no address until it is known (contract 2, apps)', async () => {
    const { apps, issued } = sessionApps({ ofNodes: { far: 'https://hub:1' } });
    const wanted = { alwaysMatch: { 'appium:app': 'svc:app/a' } };
    await expect(apps.namedIn(OWNED, wanted)?.place(wanted, 'near')).rejects.toThrow(CreateRefused);
    expect([wanted.alwaysMatch['appium:app'], issued]).toEqual(['svc:app/a', []]);
    await apps.namedIn(OWNED, wanted)?.place(wanted, 'far');
    expect(wanted.alwaysMatch['appium:app']).toBe('https://hub:1/svc/api/apps/a/download?ticket=T1');
  });

  it('an app that arrives with an address of the hub keeps it for the driver alone (specification 5.8.2)', async () => {
    const { apps } = sessionApps({ hubUrl: 'http://127.0.0.1:4723' });
    const fromHub = sampleAdmission({ fromHub: { udid: 'p', guarded: true } });
    const elsewhere = 'https://other.test/svc/api/apps/a/download?ticket=T9';
    const wanted = { alwaysMatch: { 'appium:app': address('a', 1), 'appium:otherApps': [elsewhere] } };
    const named = apps.namedIn(fromHub, wanted);
    await named?.place(wanted);
    expect(wanted.alwaysMatch['appium:app']).toBe(address('a', 1));
    const said = { app: address('a', 1), other: elsewhere };
    named?.hide(said);
    expect(said).toEqual({ app: 'svc:app/a', other: elsewhere });
    expect(apps.namedIn(fromHub, { alwaysMatch: { 'appium:app': elsewhere } })).toBeNull();
    expect(apps.namedIn(OWNED, { alwaysMatch: { 'appium:app': address('a', 1) } })).toBeNull();
  });

  it('apps of the library in capabilities are put back in errors, with their stack and cause (contract 2, apps)', async () => {
    const { apps } = sessionApps();
    const wanted = { alwaysMatch: { 'appium:app': 'svc:app/a' } };
    const named = apps.namedIn(OWNED, wanted);
    await named?.place(wanted);
    const where = wanted.alwaysMatch['appium:app'];
    const error = new Error(`cannot load ${where} twice: ${where}`, { cause: new Error(where) });
    named?.hide(error);
    expect(error.message).toBe('cannot load svc:app/a twice: svc:app/a');
    expect(`${error.stack} ${(error.cause as Error).message} ${(error.cause as Error).stack}`).not.toContain(
      'T1',
    );
  });

  it('apps of the library in capabilities are none where none are named, whatever is sent (contract 2, apps)', () => {
    const { apps } = sessionApps({ baseUrl: null });
    for (const wanted of [
      undefined,
      null,
      'x',
      [],
      {},
      { alwaysMatch: 7, firstMatch: 'x' },
      { firstMatch: [null, 1] },
    ])
      expect(apps.namedIn(OWNED, wanted)).toBeNull();
    const odd = { alwaysMatch: { 'appium:app': 7, 'appium:otherApps': '[svc:app/', 'appium:options': [] } };
    expect(apps.namedIn(OWNED, odd)).toBeNull();
  });

  it.each(['', 'c', '../a', 'A', 'a?x'])(
    'a missing app refuses the session: svc:app/%s (contract 2, apps)',
    (id) => {
      const { apps } = sessionApps();
      const wanted = { alwaysMatch: {}, firstMatch: [{ 'appium:app': `svc:app/${id}` }] };
      expect(() => apps.namedIn(OWNED, wanted)).toThrow(CreateRefused);
    },
  );

  it('apps of the library in capabilities are for sessions with credentials, and not for many at once (contract 2, apps)', () => {
    const { apps } = sessionApps();
    const wanted = { alwaysMatch: { 'appium:app': 'svc:app/a' } };
    const ownerless = sampleAdmission({ caller: null, lacksCredentials: true });
    expect(() => apps.namedIn(ownerless, wanted)).toThrow('valid credentials');
    const many = { alwaysMatch: { 'appium:otherApps': Array(17).fill('svc:app/a') } };
    expect(() => apps.namedIn(OWNED, many)).toThrow('at most 16');
  });

  it('apps of the library in capabilities need no ticket while sign-in is off (specification 5.8.3, 5.12)', async () => {
    const { apps, issued } = sessionApps();
    const wanted = { alwaysMatch: { 'appium:app': 'svc:app/a' } };
    await apps.namedIn(sampleAdmission({ caller: null, lacksCredentials: false }), wanted)?.place(wanted);
    expect(wanted.alwaysMatch['appium:app']).toBe('http://127.0.0.1:4723/svc/api/apps/a/download');
    expect(issued).toEqual([]);
  });
});
