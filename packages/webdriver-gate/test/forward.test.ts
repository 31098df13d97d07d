import { IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Caller } from '@svc/auth-core';
import { describe, expect, it } from 'vitest';
import { boundIdempotencyKey, Forwarding, isMarkedSensitive, type Upstream } from '../src/forward.ts';
import { COMMAND_HEADERS } from '../src/testing/index.ts';

function sent(headers: IncomingMessage['headers']): IncomingMessage {
  const req = new IncomingMessage(new Socket());
  req.url = '/session/x/url';
  Object.assign(req.headers, headers);
  return req;
}

function prepare(req: IncomingMessage, url: string): void {
  new Forwarding({} as Upstream, COMMAND_HEADERS).prepare(req, url);
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('what is handed on (spec 5.7.3)', () => {
  const keys = { 'x-svc-access-key': 'k', 'x-svc-token': 't' };
  const foreign = { authorization: 'Basic dTpw', cookie: 'a=b', 'x-other': 'o' };

  it.each([
    ['the access key', { 'x-svc-access-key': 'k' }],
    ['the token', { 'x-svc-token': 't' }],
    ['both', keys],
    ['both, empty', { 'x-svc-access-key': '', 'x-svc-token': '' }],
    ['a bearer token', { authorization: 'Bearer a.b.c' }],
    ['a bearer token in another letter case', { authorization: 'bEARER a.b.c' }],
    ['an empty bearer token', { authorization: 'Bearer' }],
    ['a key pair as Basic (contract 15.1)', { authorization: basic('svc_k:svct_t') }],
    ['half a pair as Basic (contract 15.1)', { authorization: basic('svc_k') }],
    ['a key pair in both spellings (contract 15.1)', { ...keys, authorization: basic('svc_k:svct_t') }],
    ['all of them', { ...keys, authorization: 'Bearer a.b.c' }],
  ])('a forwarded request is without %s, and all else stays', (_name, credentials) => {
    const req = sent({ host: 'h', 'x-other': 'o', ...credentials });
    prepare(req, '/session/x/url');
    expect(req.headers).toEqual({ host: 'h', 'x-other': 'o' });
  });

  it.each([{}, keys])('a forwarded request keeps a foreign Authorization (beside %j)', (credentials) => {
    const req = sent({ ...foreign, ...credentials });
    prepare(req, '/session/x/url');
    expect(req.headers).toEqual(foreign);
  });

  it('a forwarded request carries no hub token, whatever else it carries (contract 8.3)', () => {
    const req = sent({ ...foreign, 'x-svc-hub-token': 'forged' });
    prepare(req, '/session/x/url');
    expect(req.headers).toEqual(foreign);
  });

  it('a forwarded request has the one spelling of its target', () => {
    const req = sent({});
    prepare(req, '/session/y');
    expect(req.url).toBe('/session/y');
  });
});

describe('the marker of a body not to be logged (contract 1)', () => {
  const NAMES = ['x-auto-is-sensitive', 'x-appium-is-sensitive'];
  const values = (given: string[]) => NAMES.flatMap((name) => given.map((value) => [name, value] as const));

  it.each(values(['true', 'TRUE', '1', 'yes', ' yes ', 'a, true', 'no,1', '1,0', 'true, b']))(
    '%s: %j hides it',
    (name, value) => {
      const req = sent({ [name]: value });
      expect(isMarkedSensitive(req)).toBe(true);
      prepare(req, '/');
      expect(req.headers['x-appium-is-sensitive']).toBe('true');
    },
  );

  it.each(values(['', 'false', '0', 'no', 'untrue', '10', 'yes!', 'a true']))(
    '%s: %j does not',
    (name, value) => {
      const req = sent({ [name]: value });
      expect(isMarkedSensitive(req)).toBe(false);
      prepare(req, '/');
      expect(req.headers).toEqual({ [name]: value });
    },
  );
});

describe('an idempotency key (contract 7, idempotency)', () => {
  const of = (key: string | undefined, caller: string | undefined) =>
    boundIdempotencyKey(sent(key === undefined ? {} : { 'x-idempotency-key': key }), caller);

  it('an idempotency key is bound to its caller, and counts for nothing without one (contract 7, idempotency)', () => {
    expect(of('k', 'ana')).toBe(of('k', 'ana'));
    expect(new Set([of('k', 'ana'), of('k', 'ben'), of('l', 'ana'), of('ana k', 'x')]).size).toBe(4);
    expect(of('k', 'ana')).not.toContain('ana');
    expect([of('k', undefined), of('', 'ana'), of(undefined, 'ana')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  const passed = (headers: IncomingMessage['headers'], caller: string | null) => {
    const req = sent({ 'x-idempotency-key': 'k', ...headers });
    const upstream = { request: () => undefined } as unknown as Upstream;
    const target = { kind: 'command', url: '/session/x/url', sessionId: 'x' } as const;
    const forwarding = new Forwarding(upstream, COMMAND_HEADERS);
    if (caller === null) forwarding.unchecked(req, {} as ServerResponse, target);
    else forwarding.request(req, {} as ServerResponse, target, { account: { id: caller } } as Caller);
    return req.headers['x-idempotency-key'];
  };

  it('an idempotency key reaches Appium only as that of its caller, or of the credentials where callers are not checked (contract 7, idempotency)', () => {
    expect(passed({}, 'ana')).not.toBe(passed({}, 'ben'));
    expect(passed({}, 'ana')).not.toBe('k');
    const token = { authorization: 'Bearer a' };
    expect(passed(token, null)).toBe(passed(token, null));
    expect(passed(token, null)).not.toBe(passed({ authorization: 'Bearer b' }, null));
    expect(passed({}, null)).toBeUndefined();
  });
});
