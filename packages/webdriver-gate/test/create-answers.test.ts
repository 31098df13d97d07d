import { Refusal, Unavailable } from '@svc/auth-core';
import { CreateRefused, NoMatchingDevice, SessionNotRecorded } from '@svc/device-lab';
import { describe, expect, it } from 'vitest';
import { asWebDriverError } from '../src/create-errors.ts';
import { atEntrance } from '../src/grid/grid-addresses.ts';
import { createdIn, refusalIn } from '../src/remote/created.ts';

const answer = (value: unknown, status = 200) => ({ status, body: { value } });
const CREATED = { sessionId: 'a1', capabilities: { platformName: 'Fake' } };

describe('the answer of another server to a create', () => {
  it('the answer of another server to a create is a session with an id that can be part of a path, and nothing else (contract 8.2)', () => {
    expect(createdIn(answer(CREATED))).toEqual({ id: 'a1', capabilities: CREATED.capabilities });
    const id = (sessionId: unknown) => createdIn(answer({ ...CREATED, sessionId }));
    expect(id(`a${'b'.repeat(127)}`)).not.toBeNull();
    for (const bad of ['', 7, null, '.', '../x', 'a/b', 'a?b', 'a b', 'a%2f', '.a', 'é', 'a'.repeat(129)])
      expect(id(bad)).toBeNull();
    expect(createdIn(answer(CREATED, 201))).toBeNull();
    expect(createdIn(answer({ sessionId: 'a1' }))).toBeNull();
    expect(createdIn({ status: 200, body: null })).toBeNull();
    expect(createdIn({ status: 200, body: [CREATED] })).toBeNull();
  });

  it('an error of the other server reaches the client with its status, its code and a bounded message', () => {
    const refused = (value: unknown, status = 500) => {
      const { w3cStatus, error, message } = refusalIn('node n1', answer(value, status));
      return [w3cStatus, error, message];
    };
    expect(refused({ error: 'timeout', message: 'too slow' }, 408)).toEqual([408, 'timeout', 'too slow']);
    expect(refused({ error: 'Not A Code!', message: 'x' })).toEqual([500, 'session not created', 'x']);
    expect(refused({ error: 'timeout', message: 'x'.repeat(9000) })[2]).toHaveLength(8192);
    for (const [value, status] of [
      [{ error: 'timeout' }, 200],
      [{ error: 'timeout' }, 302],
      [{ message: 'x' }, 500],
      [null, 500],
    ] as const)
      expect(refused(value, status)).toEqual([
        500,
        'session not created',
        'node n1 answered with no session',
      ]);
  });
});

describe('a create that the lab refuses', () => {
  it.each([
    [new Refusal('not_found', 'the team is unknown'), 400, 'invalid argument'],
    [new CreateRefused('app', 'no such app'), 400, 'invalid argument'],
    [new NoMatchingDevice('every phone is busy'), 500, 'session not created'],
    [
      new CreateRefused('session-limit', 'the limit of 3 sessions at once is reached'),
      500,
      'session not created',
    ],
    [new Unavailable('database: disk I/O error'), 503, 'session not created'],
    [new SessionNotRecorded({ cause: new Error('disk full') }), 503, 'session not created'],
  ])('%s: %i (contract 6.4)', (error, w3cStatus, code) => {
    const refusal = asWebDriverError(error);
    expect(refusal).toMatchObject({ w3cStatus, error: code });
    expect(String(refusal)).not.toMatch(/disk/);
  });

  it('a create refused by an error of the driver keeps that error', () => {
    const error = new Error('from the driver');
    expect(asWebDriverError(error)).toBe(error);
  });
});

describe('addresses in the capabilities of a grid (contract 8.2)', () => {
  const at = (capabilities: Record<string, unknown>) =>
    atEntrance(capabilities, { id: 'signed', here: 'wss://here/base', basePath: '/wd/hub' });

  it.each([
    ['ws://grid:4444/wd/hub/session/a1/se/bidi', 'wss://here/base/session/signed/se/bidi'],
    ['ws://grid:4444/session/a1/se/bidi', 'wss://here/base/session/signed/se/bidi'],
    ['WSS://grid/wd/hub/bidi/a1', 'wss://here/base/bidi/signed'],
  ])('%s leads to this server', (webSocketUrl, here) => {
    expect(at({ webSocketUrl })).toEqual({ webSocketUrl: here });
  });

  it('addresses that lead around this server are removed, and everything else stays (contract 8.2)', () => {
    const kept = { platformName: 'linux', 'se:name': 'a test', webSocketUrl: true, url: 'http://app' };
    const removed = {
      'se:gridWebSocketUrl': 'ws://node:5555/other/a1',
      'se:remoteUrl': 'http://node:5555/session/a1/se/files',
    };
    expect(at({ ...kept, ...removed, 'se:cdp': 'ws://x/session/a1/se/cdp' })).toEqual({
      ...kept,
      'se:cdp': 'wss://here/base/session/signed/se/cdp',
    });
    expect(at({ 'se:cdp': 'ws://[' })).toEqual({});
  });
});
