import type { IncomingMessage } from 'node:http';
import { Refusal, Unavailable } from '@svc/auth-core';
import type { HubSessions, HubTokenVerifier } from '@svc/nodes';
import { beforeEach, describe, expect, it } from 'vitest';
import { FromHub, hubTokenOf } from '../src/nodes/from-hub.ts';

const SOCKET = {};
let stopped: object[];
let checks: () => void | Promise<void>;
let fromHub: FromHub;

beforeEach(() => {
  stopped = [];
  checks = () => undefined;
  fromHub = new FromHub({
    hubUrl: 'http://hub:4723',
    tokens: {
      checkCommand: () => checks(),
      redeemCreate: async (token?: string) => {
        if (token === 'good') return { udid: 'far-1', sub: 'ana', guarded: true };
        if (token === 'later') throw new Unavailable('the keys of the hub are not known');
        throw new Refusal('invalid token', 'no hub token');
      },
    } as unknown as HubTokenVerifier,
    sessions: {
      has: (id: string) => id.startsWith('hub'),
      isGuarded: (id: string) => id === 'hub-guarded',
    } as unknown as HubSessions,
    connections: { isCounted: () => true, stopCounting: (socket) => stopped.push(socket) },
  });
});

const sent = (token?: string | string[]) =>
  ({ socket: SOCKET, headers: token === undefined ? {} : { 'x-svc-hub-token': token } }) as IncomingMessage;
const refuse = () => {
  throw new Refusal('invalid token', 'for another session');
};

describe('what comes through the hub of a node (contract 8.3)', () => {
  it('a request through the hub is a create on the device of its token, on which the hub has decided everything else (contract 8.3)', async () => {
    const admission = await fromHub.admit('good', [2]);
    expect(admission).toMatchObject({
      caller: null,
      lacksCredentials: false,
      healingTiers: [2],
      fromHub: { udid: 'far-1', guarded: true },
    });
    expect(admission.maySee('any team')).toBe(true);
  });

  it('a request through the hub is no create without a valid token, and none while the token cannot be verified (contract 8.3)', async () => {
    const message = 'session rejected: create sessions through the hub, http://hub:4723 (no hub token)';
    for (const token of [undefined, 'forged'])
      await expect(fromHub.admit(token, null)).rejects.toMatchObject({ w3cStatus: 500, message });
    await expect(fromHub.admit('later', null)).rejects.toBeInstanceOf(Unavailable);
  });

  it('a request through the hub keeps its connection out of the limit of addresses once a token was accepted (contract 8.3)', async () => {
    await fromHub.checkCommand(sent('a'), 'hub-1');
    checks = async () => undefined;
    await fromHub.checkCommand(sent('a'), 'hub-1');
    expect(stopped).toEqual([SOCKET, SOCKET]);
    checks = refuse;
    expect(() => fromHub.checkCommand(sent('a'), 'hub-1')).toThrow(Refusal);
    checks = async () => refuse();
    await expect(fromHub.checkCommand(sent('a'), 'hub-1')).rejects.toThrow(Refusal);
    expect(stopped).toHaveLength(2);
  });

  it('a request through the hub is recognized where commands are not checked, and a wrong token changes nothing (contract 8.3)', async () => {
    fromHub.recognize(sent('a'), 'hub-1');
    expect(stopped).toHaveLength(1);
    checks = refuse;
    fromHub.recognize(sent('a'), 'hub-1');
    checks = async () => refuse();
    fromHub.recognize(sent('a'), 'hub-1');
    await new Promise(setImmediate);
    checks = () => expect.unreachable();
    fromHub.recognize(sent('a'), 'own');
    fromHub.recognize(sent('a'), undefined);
    fromHub.recognize(sent(), 'hub-1');
    expect(stopped).toHaveLength(1);
  });

  it('a request through the hub is guarded if the hub checks the commands of the session (contract 8.3)', () => {
    const sessions = ['hub-guarded', 'hub-1', 'own', undefined];
    expect(sessions.map((id) => fromHub.isGuarded(id))).toEqual([true, false, false, false]);
  });

  it('a request through the hub has one token: a header sent twice is joined and fits nothing (contract 8.3)', () => {
    expect([hubTokenOf(sent()), hubTokenOf(sent('a')), hubTokenOf(sent(['a', 'b']))]).toEqual([
      undefined,
      'a',
      'a, b',
    ]);
  });
});
