import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyForwarded, hasDotSegments } from '../src/forwarded-target.ts';
import { Targets } from '../src/target.ts';

const S = '0e984725-c51c-4bf4-9960-e1c80e27aba0';
const V = '5b1f0c36-52f4-4f7b-8b6a-5d1b6f0f7f0e';
const targets = new Targets('/wd/Hub');
const read = (uri: string) => classifyForwarded(targets, uri);
const ids = (uri: string) => {
  const target = read(uri);
  return target.kind === 'session' ? target.sessionIds : target.kind;
};

describe('targets of requests that wait at a proxy (contract 7)', () => {
  it('no proxy passes a callback address, because nothing outside of this machine uses one', () => {
    expect(read(`/svc-callback/secret/session/${S}/url`)).toEqual({ kind: 'unclear' });
    expect(read('/svc-callback/secret')).toEqual({ kind: 'unclear' });
  });

  it.each([
    `/session/${S}`,
    `/session/${S}/url?a=/session/${V}`,
    `/SESSION/${S}/`,
    `//session//${S}//url`,
    `/wd/hub/session/${S}/url`,
    `/taken/off/by/the/proxy/session/${S}/url`,
    `/%73ession/${S}/url`,
    `/%2573ession/${S}/url`,
    `/x%2fsession%2F${S}%2Furl`,
    `/x%3b/session/${S};v=1/url`,
    `/ws/session/${S}/appium/device/logcat`,
    `/wd/hub/bidi/${S}`,
    `/BiDi/${S}/`,
    `/svc%2fapi%2f../session/${S}`.replace('..', 'x'),
    `/session/${S}/se/bidi`,
    `/session/${S}/cookie/session`,
    `/session/${S}/element/e/attribute/100%25`,
    `/session/${S}/cookie/a%20b%2Fc`,
    `/svc/session/${S}`,
    `/svc-x/api/session/${S}`,
    `/SVC/api/session/${S}`,
  ])('%s is about the session', (uri) => {
    expect(ids(uri)).toEqual([S]);
  });

  it.each([
    [`/session/${S}/session/${V}`, [S, V]],
    [`/session%2F${V}/session/${S}`, [S, V]],
    [`/session/${S}%2f/session/${V}`, [`${S}%2f`, V, S]],
    [`/session/%30${S.slice(1)}/url`, [S, `%30${S.slice(1)}`]],
  ])('%s is about all of them', (uri, expected) => {
    expect(new Set(ids(uri))).toEqual(new Set(expected));
  });

  it.each([
    '',
    'session/x',
    `http://host/session/${S}`,
    `/session/${S}/../${V}/url`,
    `/x/..%2fsession/${V}`,
    `/x/%2e%2E/session/${V}`,
    `/x/%252e%252e/session/${V}`,
    `/x/..;/session/${V}`,
    `/x\\session\\${V}`,
    '/wd/hub/bidi/;',
    `/wd/hub/bidi/${V};x`,
    `/x/..%5csession/${V}`,
    `/session/${S}#/x`,
    `/session/${S}, /session/${V}`,
    `/sess%00ion/${V}`,
    `/session/${V}%0a`,
    `/session%c0%af${V}`,
    `/%25252525252573ession/${V}`,
    `/wd/hub/session/%zz/url`,
    `/bidi?/bidi/${V}`,
    `/x/bidi/${S}?/bidi/${V}`,
    '/session/ä',
  ])('%s is unclear', (uri) => {
    expect(read(uri)).toEqual({ kind: 'unclear' });
  });

  it.each([
    ['/session', 'create'],
    ['/wd/hub/session/', 'create'],
    ['/prefix/session?x=1', 'create'],
    ['/%73ession', 'create'],
    ['/wd/Hub/appium/sessions', 'listing'],
    ['/prefix/auto/sessions/', 'listing'],
    ['/svc/api/auth/me', 'api'],
    [`/svc/api/session/${S}/session_log?after=1`, 'api'],
    ['/svc/api', 'api'],
    ['/svc/sessions', 'other'],
    ['/svc/api-reference', 'other'],
    ['/', 'other'],
    ['/bidi', 'other'],
    ['/ui/', 'other'],
    ['/status?x=/session/1', 'other'],
    ['/sessionless/x', 'other'],
  ])('%s is a %s', (uri, kind) => {
    expect(read(uri).kind).toBe(kind);
  });

  it('a session that the gate reads in a target is never missed (contract 7)', () => {
    const part = fc.constantFrom(
      ...[
        '/',
        '//',
        'session',
        'SESSION',
        '%73ession',
        'wd',
        'Hub',
        'ws',
        'bidi',
        S,
        V,
        '.',
        '..',
        '%2e',
        '%2F',
      ],
      ...['?', ';', 'svc', 'api', 'x', '%25', '\\', '#', 'sessions', 'appium'],
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), fc.constantFrom('', '/wd/Hub'), (parts, base) => {
        const based = new Targets(base);
        const uri = `/${parts.join('')}`;
        const http = based.classify(uri);
        const socket = based.classifySocket(uri);
        const forwarded = classifyForwarded(based, uri);
        const found = forwarded.kind === 'session' ? forwarded.sessionIds : [];
        if (forwarded.kind === 'unclear') return;
        if (http.kind === 'command') expect(found).toContain(http.sessionId);
        if (socket.kind === 'session') expect(found).toContain(socket.sessionId);
        if (http.kind === 'create' || http.kind === 'listing') expect(forwarded.kind).not.toBe('other');
      }),
      { numRuns: 3000, examples: [[['bidi', '/', ';'], '']] },
    );
  });
});

describe('dot segments in what goes on to a node (contract 8.3)', () => {
  it.each([
    ...['/..', '/../..', '/../../x', '/./url', '/url/.', '/a/../b', '/..?x=1'],
    ...['/%2e%2e/x', '/%2E./x', '/.%2e/x', '/%2e', '/%252e%252e/x', '/%25%32%65./x'],
    ...['/..%2f..%2fx', '/%2e%2e%2fx', '/..;/x', '/..;a=b/x', '/a;/../x', '/..%5cx', '/..%3bx', '/..%23x'],
    ...['/%c0%ae%c0%ae/x', '/%00', '/%2525252525252e%2e'],
  ])('%s: found, or not to be told', (rest) => {
    expect(hasDotSegments(`/session/${S}${rest}`)).toBe(true);
  });

  it.each([
    ...['', '/', '/url', '/element/e/attribute/.hidden', '/element/e/property/..x', '/cookie/a.b'],
    ...[
      '/element/e/attribute/100%25',
      '/cookie/a%20b',
      '/cookie/a;b',
      '/file/...',
      '/x?to=/../y',
      '/x?a=%2e%2e',
    ],
    '/cookie/gr%C3%B6%C3%9Fe',
  ])('%s: none', (rest) => {
    expect(hasDotSegments(`/session/${S}${rest}`)).toBe(false);
  });

  it('dot segments in what goes on to a node are found in every spelling of two dots, at any depth (property) (contract 8.3)', () => {
    const dot = fc.constantFrom('.', '%2e', '%2E', '%252e');
    const before = fc.array(fc.constantFrom('url', 'element', 'e%20x', ''), { maxLength: 4 });
    const slash = fc.constantFrom('/', '%2f', '%2F');
    fc.assert(
      fc.property(before, dot, dot, slash, (segments, one, two, mark) => {
        const path = `/session/${S}/${[...segments, `${one}${two}`].join('/')}${mark}x`;
        expect(hasDotSegments(path), path).toBe(true);
      }),
    );
  });
});
