import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import {
  type Caller,
  type CommandCallers,
  NO_CREDENTIAL,
  Refusal,
  scopeSet,
  Unavailable,
} from '@svc/auth-core';
import { fakeClock, silentLog } from '@svc/auth-core/testing';
import { failureLines } from '@svc/module';
import { beforeEach, describe, expect, it } from 'vitest';
import { clientFacts } from '../src/client-facts.ts';
import { CommandCheck } from '../src/command-check.ts';
import type { FromHub } from '../src/nodes/from-hub.ts';
import type { CommandRefusal } from '../src/refusals.ts';
import { originsBy } from '../src/request-origin.ts';

const callerOf = (id: string, role = 'Member') =>
  ({
    account: { id, role },
    credential: NO_CREDENTIAL,
    scopes: scopeSet(['sessions']),
    expiresAt: null,
  }) as unknown as Caller;
const ANA = callerOf('ana');
const OWNERS: Readonly<Record<string, string | null>> = { S: 'ana', ownerless: null, far: 'ana' };
const originOf = originsBy({ ...clientFacts([]), addressOf: () => '192.0.2.1' });

let recalled: () => Caller | Promise<Caller> | undefined;
let refused: CommandRefusal[];
let used: string[];
let log: ReturnType<typeof silentLog>;
let check: CommandCheck;

/** Hub that sends the commands of the session `far`. */
const fromHub = {
  has: (id: string) => id === 'far',
  checkCommand: (req: IncomingMessage) => {
    const token = req.headers['x-svc-hub-token'];
    if (token === 'good') return;
    if (token === 'later') return Promise.resolve();
    throw new Refusal('invalid token', 'no hub token');
  },
} as unknown as FromHub;

beforeEach(() => {
  recalled = () => ANA;
  refused = [];
  used = [];
  log = silentLog();
  check = new CommandCheck({
    callers: { recall: () => recalled() } as unknown as CommandCallers,
    sessions: { ownerOf: (id) => OWNERS[id] },
    report: (refusal) => refused.push(refusal),
    fromHub,
    used: (id, { account }) => used.push(`${id} by ${account.id}`),
    failures: failureLines(log, fakeClock(0)),
  });
});

function sent(headers: Record<string, string> = {}, raw: string[] = []): IncomingMessage {
  const req = new IncomingMessage(new Socket());
  Object.assign(req, { method: 'GET', url: '/session/S/url', rawHeaders: raw });
  Object.assign(req.headers, headers);
  return req;
}

const verdict = (id: string | undefined, req = sent()) => check.check(req, id, originOf(req));

describe('a command (specification 5.7.2 to 5.7.5)', () => {
  it.each([
    ['S', ANA, null],
    ['S', callerOf('max', 'Super admin'), null],
    ['ownerless', callerOf('max', 'Super admin'), null],
    ['S', callerOf('ben'), 'the session belongs to someone else'],
    ['ownerless', ANA, 'the session has no owner and the caller is no admin'],
    ['unknown', ANA, 'unknown session'],
    [undefined, ANA, 'unknown session'],
  ])(
    'a command of session %s is decided without a promise (specification 5.7.2 to 5.7.5)',
    (id, caller, reason) => {
      recalled = () => caller;
      expect(verdict(id)).toBe(reason === null ? caller : 'refused');
      expect(refused.map((each) => each.reason)).toEqual(reason === null ? [] : [reason]);
      expect(used).toEqual(reason === null ? [`${id} by ${caller.account.id}`] : []);
      expect(check.counts).toMatchObject({ checks: 1, allowed: reason === null ? 1 : 0 });
    },
  );

  it('a command is refused without credentials, with wrong ones and with two Authorization headers (specification 5.7.2 to 5.7.5)', () => {
    recalled = () => undefined;
    expect(verdict('S')).toBe('refused');
    recalled = () => {
      throw new Refusal('invalid credentials', 'the token has expired');
    };
    expect(verdict('S')).toBe('refused');
    recalled = () => ANA;
    const doubled = sent({ authorization: 'Bearer a' }, [
      'Authorization',
      'Bearer a',
      'authorization',
      'Bearer b',
    ]);
    expect(verdict('S', doubled)).toBe('refused');
    expect(refused.map(({ reason }) => reason)).toEqual([
      'no credentials',
      'the token has expired',
      'two Authorization headers',
    ]);
    expect(refused.every(({ isKnown }) => !isKnown)).toBe(true);
    expect(check.counts).toMatchObject({ noCredentials: 1, invalidCredentials: 2, allowed: 0 });
  });

  it('a command is never let through when the check cannot run, now or later (specification 5.7.5)', async () => {
    for (const error of [new Unavailable('the database is gone'), new TypeError('a defect')]) {
      recalled = () => {
        throw error;
      };
      expect(verdict('S')).toBe('unverified');
      recalled = () => Promise.reject(error);
      expect(await verdict('S')).toBe('unverified');
    }
    expect(check.counts).toMatchObject({ unverified: 4, allowed: 0 });
    expect(refused).toEqual([]);
    expect(log.messages('error')).toHaveLength(4);
  });

  it('a command of a session that came through the hub is accepted only from the hub (contract 8.3)', async () => {
    expect(verdict('far')).toBe('refused');
    expect(verdict('far', sent({ 'x-svc-hub-token': 'good' }))).toBe('hub');
    expect(await verdict('far', sent({ 'x-svc-hub-token': 'later' }))).toBe('hub');
    expect(verdict('S', sent({ 'x-svc-hub-token': 'good' }))).toBe(ANA);
    expect(used).toEqual(['S by ana']);
  });
});

describe('the caller of a request about no single session (specification 5.7.8)', () => {
  const callerOfRequest = (req = sent()) => check.callerOf(req, originOf(req));

  it('the caller of a request about no single session is null without a valid credential, and unverified if the check cannot run (specification 5.7.8)', async () => {
    expect(await callerOfRequest()).toBe(ANA);
    recalled = () => undefined;
    expect(await callerOfRequest()).toBeNull();
    recalled = () => Promise.reject(new Refusal('invalid credentials', 'unknown'));
    expect(await callerOfRequest()).toBeNull();
    recalled = () => Promise.reject(new Error('the database is gone'));
    expect(await callerOfRequest()).toBe('unverified');
  });

  it('the caller of a request about no single session is null with two Authorization headers (specification 5.7.8)', async () => {
    const raw = ['authorization', 'Bearer a', 'AUTHORIZATION', 'Bearer b'];
    expect(await callerOfRequest(sent({}, raw))).toBeNull();
  });
});
