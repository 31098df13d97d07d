import { WELL_KNOWN } from '@svc/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loggedPath, Targets } from '../src/target.ts';

const S = '0e984725-c51c-4bf4-9960-e1c80e27aba0';
const plain = new Targets('');
const based = new Targets('/wd/Hub/');

/** Returns the session id if the target is a command, and otherwise the kind of the target. */
function read(targets: Targets, raw: string): string | undefined {
  const target = targets.classify(raw);
  return target.kind === 'command' ? target.sessionId : target.kind;
}

describe('request targets (appium-notes 8)', () => {
  it.each([
    `/session/${S}`,
    `/session/${S}/`,
    `/session/${S}/url`,
    `/session/${S}/url/`,
    `/session/${S}?a=/b`,
    `/session/${S}/url?x#`.slice(0, -1),
    `/SESSION/${S}/url`,
    `/Session/${S}/URL`,
    `/session/%30${S.slice(1)}/url`,
    `/session/${S.replace(/-/g, '%2D')}`,
    `http://evil/session/${S}/url`,
    `HTTPS://evil:1/SESSION/${S}/url`,
    `/session/${S}//url`,
    `/session/${S}/./url`,
    `/session/${S}/../${S}/url`,
  ])('%s is about the session', (raw) => {
    expect(read(plain, raw)).toBe(S);
    if (raw.startsWith('/')) expect(read(based, `/wd/Hub${raw}`)).toBe(S);
    if (raw.startsWith('/')) expect(read(based, `/WD/hub${raw}`)).toBe(S);
    expect(read(based, raw)).not.toBe(S);
  });

  it.each([
    ['/session', 'create'],
    ['/session/', 'create'],
    ['/SESSION?x=1', 'create'],
    ['http://evil/session', 'create'],
    ['//session', 'misrouted create'],
    ['/wd/hub/session', 'misrouted create'],
    ['/wd/hub/session//', 'misrouted create'],
    ['/appium/sessions', 'listing'],
    ['/auto/sessions/?x', 'listing'],
    ['/AUTO/Sessions', 'listing'],
    ['/svc', 'site'],
    ['/svc/api/auth/me', 'site'],
    ['/svc?x', 'site'],
    ['/.well-known/oauth-authorization-server/svc/oauth', 'site'],
    ['/.well-known/oauth-protected-resource/svc/api?x', 'site'],
    ['http://lab/.well-known/oauth-protected-resource/svc/mcp', 'site'],
    ['/.well-known/oauth-protected-resource/svc/api/', 'other'],
    ['/.well-known/oauth-protected-resource/svc', 'other'],
    ['/.well-known/oauth-protected-resource/svc/ap%69', 'other'],
    ['/.Well-Known/oauth-protected-resource/svc/api', 'other'],
    ['/xwell-known/oauth-protected-resource/svc/api', 'other'],
    ['/.well-known/openid-configuration', 'other'],
    ['/svcx', 'other'],
    ['/SVC/api', 'other'],
    ['/status', 'other'],
    ['/', 'other'],
    ['http://evil', 'other'],
    [`//session/${S}/url`, 'other'],
    [`/session//${S}/url`, 'other'],
    [`/%73ession/${S}/url`, 'other'],
    [`/session%2F${S}/url`, 'other'],
    [`/x/../session/${S}/url`, 'other'],
    [`/sessions/${S}`, 'other'],
    [`/session\\${S}\\url#`, 'refused'],
    [`/session/${S}/url#x`, 'refused'],
    [`/session/${S}\t/url`, 'refused'],
    [`/session/${S}\u00a0`, 'refused'],
    [`foo://x/session/${S}/url`, 'refused'],
    [`session/${S}/url`, 'refused'],
    ['*', 'refused'],
    ['', 'refused'],
  ])('%s is: %s', (raw, kind) => {
    expect(read(plain, raw)).toBe(kind);
  });

  it.each([
    `//session/${S}/url`,
    `/session//${S}/url`,
    `//session//${S}`,
    `/%73ession/${S}/url`,
    `/session%2F${S}/url`,
    `http://evil//SESSION/${S}?x=/session/1`,
  ])('%s names the session, though Appium does not route it (contract 7)', (raw) => {
    expect(plain.classify(raw)).toMatchObject({ kind: 'other', sessionId: S });
    if (raw.startsWith('/')) expect(based.classify(`/wd/Hub${raw}`)).toMatchObject({ sessionId: S });
    if (raw.startsWith('/')) expect(based.classify(`//WD/hub${raw}`)).toMatchObject({ sessionId: S });
    expect(based.classify(raw)).not.toHaveProperty('sessionId');
  });

  it('no base path hides the documents of the service (contract 10)', () => {
    for (const base of ['/.well-known', '/.well-known/oauth-protected-resource/svc', '/wd/hub']) {
      for (const path of Object.values(WELL_KNOWN)) expect(read(new Targets(base), path)).toBe('site');
      expect(read(new Targets(base), `${base}/session/${S}/url`)).toBe(S);
    }
  });

  it('an id that cannot be decoded is nobody', () => {
    expect(plain.classify('/session/%zz/url')).toEqual({
      kind: 'command',
      url: '/session/%zz/url',
      sessionId: undefined,
    });
  });

  it('a target that is passed on has one spelling (appium-notes 8)', () => {
    expect(plain.classify(`http://evil/session/${S}?a`)).toMatchObject({ url: `/session/${S}?a` });
    expect(plain.classify('http://evil?a')).toMatchObject({ url: '/?a' });
    expect(based.classify('/WD/HUB/auto/sessions?a=1')).toMatchObject({ url: '/wd/Hub/appium/sessions?a=1' });
  });

  it.each([
    [`/svc-callback/secret/session/${S}/url?a`, 'secret', `/session/${S}/url?a`],
    [`http://evil/svc-callback/secret/wd/Hub/session/${S}`, 'secret', `/wd/Hub/session/${S}`],
    ['/svc-callback/secret', 'secret', '/'],
    ['/svc-callback/secret?x', 'secret', '?x'],
    ['/svc-callback//session', '', '/session'],
    ['/svc-callback/a/svc-callback/b/session/x', 'a', '/svc-callback/b/session/x'],
  ])('%s is at a callback address', (raw, secret, url) => {
    for (const targets of [plain, based]) {
      expect(targets.classify(raw)).toEqual({ kind: 'callback', secret, url });
      expect(targets.classifySocket(raw)).toEqual({ kind: 'callback', secret, url });
    }
  });
  it.each([
    '/svc-callback',
    '/SVC-callback/x/status',
    '/svc-callbacks/x',
    '/wd/svc-callback/x',
    '/%73vc-callback/x',
  ])('%s is not', (raw) => {
    expect(plain.classify(raw).kind).toBe('other');
  });
  it.each([
    [`/svc-callback/secret/session/${S}/url?a`, `/svc-callback/.../session/${S}/url`],
    ['http://evil/svc-callback/secret#', 'http://evil/svc-callback/...#'.slice(0, -1)],
    ['/svc-callback/a/svc-callback/secret', '/svc-callback/.../svc-callback/...'],
    [`/session/${S}/url?token=secret`, `/session/${S}/url`],
    [`http://svc_a:svct_b@lab:4723/session/${S}/url`, `http://lab:4723/session/${S}/url`],
    ['HTTPS://svc_a:svct_b@lab/svc-callback/secret', 'HTTPS://lab/svc-callback/...'],
    ['http://svc_a:svct_b@x@lab', 'http://lab'],
    ['http:/svc_a:svct_b@lab/#', 'http:/lab/#'],
    ['//svc_a:svct_b@lab/session', '//lab/session'],
    ['svc_a:svct_b@lab:4723', 'lab:4723'],
    ['/session/a@b', '/session/a@b'],
  ])('%s is logged as %s (spec 5.5, contract 15.1)', (raw, path) => {
    expect(loggedPath(raw)).toBe(path);
  });

  it.each(['/svc', '/svc/x', '/SVC/x', '/svc-callback', '/svc-callback/x', '/a:b', '/a*', '/a b', '/a%41'])(
    'base path %s stops the start',
    (basePath) => {
      expect(() => new Targets(basePath)).toThrow(/base path/);
    },
  );
  it.each(['', '/', 'wd/hub', '/svcx', '/svc-callbacks', '/a.b/~c'])('base path %s is usable', (basePath) => {
    expect(() => new Targets(basePath)).not.toThrow();
  });
});

describe('WebSocket targets (appium-notes 8)', () => {
  const socket = (targets: Targets, raw: string) => {
    const target = targets.classifySocket(raw);
    return target.kind === 'session' ? `${target.sessionId} ${target.url}` : target.kind;
  };
  it.each([
    [`/bidi/${S}`, `${S} /bidi/${S}`],
    [`/bidi/${S}/`, `${S} /bidi/${S}`],
    [`/BIDI/${S}`, `${S} /bidi/${S}`],
    [`/bidi/${S}?x=1`, `${S} /bidi/${S}`],
    [`/bidi/other?/bidi/${S}`, 'other /bidi/other'],
    [`http://evil/bidi/${S}`, `${S} /bidi/${S}`],
    [`/ws/session/${S}/appium/device/logcat`, `${S} /ws/session/${S}/appium/device/logcat`],
    [`/WS/Session/${S.toUpperCase()}/x`, `${S.toUpperCase()} /WS/Session/${S.toUpperCase()}/x`],
    ['/bidi', 'other'],
    ['/bidi/', 'other'],
    ['/status', 'other'],
    ['/svc/api/events', 'site'],
    [`/x/../bidi/${S}`, 'refused'],
    [`/x/%2e%2e/bidi/${S}`, 'refused'],
    [`/x\\../bidi/${S}`, 'refused'],
    [`//host/bidi/${S}`, 'refused'],
    [`foo://host/bidi/${S}`, 'refused'],
    [`/bidi#/bidi/${S}`, 'refused'],
    [`/bidi/%30${S.slice(1)}`, 'refused'],
    [`/bidi/${S}/x`, 'refused'],
    [`/ws/session/%30${S.slice(1)}/x`, 'refused'],
    [`/ws/x/../session/${S}/x`, 'refused'],
  ])('%s is: %s', (raw, expected) => {
    expect(socket(plain, raw)).toBe(expected);
  });

  it.each([`/bidi?/bidi/${S}`, `/bidi?x=/bidi/${S}`, `/BIDI?/bidi/${S}`])(
    '%s stays without a session',
    (raw) => {
      expect(plain.classifySocket(raw)).toEqual({ kind: 'other', url: '/bidi' });
    },
  );

  it('a WebSocket target is found below the base path, in any letter case (appium-notes 8)', () => {
    expect(socket(based, `/WD/hub/bidi/${S}`)).toBe(`${S} /wd/Hub/bidi/${S}`);
    expect(socket(based, `/bidi/${S}`)).toBe('other');
  });
});

/** Returns the session to which Appium attaches a socket. Appium reads the target twice, in two different ways. */
function appiumsBidiSession(url: string, base: string): string | undefined {
  let pathname: string;
  try {
    pathname = new URL(url, 'http://localhost').pathname;
  } catch {
    pathname = url;
  }
  const handled = new RegExp(`^${base}/bidi(?:/[^/]+)?/?$`, 'i').test(pathname);
  return handled ? /\/bidi\/([^/]+)$/.exec(url)?.[1] : undefined;
}

it('no socket target is one session to the gate and another to Appium', () => {
  const piece = fc.constantFrom(
    '/',
    'bidi',
    'BIDI',
    'x',
    S,
    '?',
    '%2e%2e',
    '..',
    '.',
    '%62',
    '=',
    '&',
    'http://h',
    'ws',
    'session',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
      const raw = pieces.join('');
      const target = plain.classifySocket(raw);
      if (target.kind === 'refused' || target.kind === 'site') return;
      const reached = appiumsBidiSession(target.url, '');
      if (reached !== undefined) expect(target).toMatchObject({ kind: 'session', sessionId: reached });
    }),
    { numRuns: 2000 },
  );
});
