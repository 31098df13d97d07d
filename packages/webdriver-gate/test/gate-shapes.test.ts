import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal, scopeSet } from '@svc/auth-core';
import type { DriverSession } from '@svc/device-lab';
import { afterEach, describe, expect, it } from 'vitest';
import { authorizedAs, type GateContext, type Upstream } from '../src/forward.ts';
import { furtherGridGate, gridGate } from '../src/grid/grid-gate.ts';
import { gridUpstream } from '../src/grid/grid-upstream.ts';
import { notCreated } from '../src/responses.ts';
import { ANA, checkingGate, checkingOptions } from '../src/testing/index.ts';

type Listen = (req: IncomingMessage, res: ServerResponse) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

const ADMIN = { ...ANA, account: { ...ANA.account, id: 'max', role: 'Super admin' } };
const BEN = { ...ANA, account: { ...ANA.account, id: 'ben' }, scopes: scopeSet(['sessions']) };
const CALLERS: Readonly<Record<string, unknown>> = {
  ana: { ...ANA, scopes: scopeSet(['sessions']) },
  ben: BEN,
  max: ADMIN,
};

/** Accepts bearer tokens, each of which names its account, and refuses all other credentials. */
const authenticate = ({ headers }: { headers: IncomingMessage['headers'] }) => {
  const caller = CALLERS[String(headers.authorization).slice('Bearer '.length)];
  if (caller === undefined) throw new Refusal('invalid credentials', 'unknown');
  return caller;
};

/** Responds with the kind of target as which the gate let the request through. */
const upstream: Upstream = {
  request: (req, res) => res.end(`${authorizedAs(req)?.kind} ${req.method} ${req.url}`),
  upgrade: (_req, socket) => socket.destroy(),
};
const site: Upstream = { ...upstream, request: (req, res) => void res.end(`site ${req.url}`) };
const shared = { upstream, site, lab: { sessions: sessionsOf('ana'), onEnd: () => undefined } };

function sessionsOf(owner: string) {
  return { ownerOf: (id: string) => (id === 'S' ? owner : undefined), findIgnoringCase: (id: string) => id };
}

async function start(listen: Listen) {
  const server = createServer(listen).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async (line: string, as: string | null = null): Promise<string> => {
    const [method = '', path = ''] = line.split(' ');
    const response = await fetch(url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(as === null ? {} : { authorization: `Bearer ${as}` }),
      },
      ...(method === 'POST' ? { body: '{}' } : {}),
    });
    const body = await response.text();
    return response.status === 200 ? body : String(response.status);
  };
}

const client = { status: async () => ({ isReady: true, sessions: null }) };
const READY = '{"value":{"ready":true,"message":"the grid is ready"}}';
const created = { id: 'new', ownerId: null, answer: '{"value":{"sessionId":"new"}}' };
const options = (more: object = {}) => checkingOptions(authenticate, { ...shared, ...more });

const OFF = { requireCommandAuth: false };
const hub = (guarded: boolean) => ({
  hubUrl: 'http://hub',
  tokens: {
    checkCommand: () => {
      throw new Refusal('invalid token', 'no hub token');
    },
    redeemCreate: () => Promise.reject(new Refusal('invalid token', 'no hub token')),
  },
  sessions: { has: (id: string) => id === 'S', isGuarded: (id: string) => guarded && id === 'S', add() {} },
  connections: { isCounted: () => false, stopCounting() {} },
});

const SHAPES: Record<string, () => Listen> = {
  'Appium, checked': () => checkingGate(authenticate, shared).request,
  'Appium with --allow-cors, checked': () => checkingGate(authenticate, { ...shared, cors: true }).request,
  'Appium, unchecked': () => checkingGate(authenticate, { ...shared, ...OFF }).request,
  'guarded node, unchecked': () =>
    checkingGate(authenticate, { ...shared, ...OFF, fromHub: hub(true) as never }).request,
  'grid, checked': () =>
    gridGate({ ...options({ places: { place: async () => created } }), grid: client }).request,
  'grid, unchecked': () =>
    gridGate({ ...options({ ...OFF, places: { place: async () => created } }), grid: client }).request,
  'grid without sign-in': () => gridGate({ ...options({ authDisabled: true }), grid: client }).request,
  'further entrance, checked': () =>
    furtherGridGate({
      ...options(),
      grid: client,
      sessions: shared.lab.sessions,
      creates: (req, res) => void res.end(`first entrance ${req.method} ${req.url}`),
    }).request,
};

const COMMAND = 'GET /session/S/url';
const FORWARDED = 'command GET /session/S/url';

/**
 * Kind of gate, request, credential and result. The result is a status other than 200, or the handler that received the
 * request and the target it got.
 */
const TABLE: [keyof typeof SHAPES, string, string | null, string][] = [
  ['Appium, checked', COMMAND, null, '404'],
  ['Appium, checked', COMMAND, 'ben', '404'],
  ['Appium, checked', COMMAND, 'unknown', '404'],
  ['Appium, checked', COMMAND, 'ana', FORWARDED],
  ['Appium, checked', COMMAND, 'max', FORWARDED],
  ['Appium, checked', 'GET /session/other/url', 'ana', '404'],
  ['Appium, checked', 'OPTIONS /session/S/url', null, '404'],
  ['Appium, checked', 'OPTIONS /session/S/url', 'ana', 'command OPTIONS /session/S/url'],
  ['Appium with --allow-cors, checked', 'OPTIONS /session/S/url', null, 'command OPTIONS /session/S/url'],
  ['Appium with --allow-cors, checked', COMMAND, null, '404'],
  ['Appium, checked', 'GET //session/S/url', null, '404'],
  ['Appium, checked', 'GET //session/S/url', 'ana', 'other GET //session/S/url'],
  ['Appium, checked', 'POST /session', null, 'create POST /session'],
  ['Appium, checked', 'PUT /session', null, 'create PUT /session'],
  ['Appium, checked', 'POST /wd/hub/session', null, 'misrouted create POST /wd/hub/session'],
  ['Appium, checked', 'GET /appium/sessions', null, 'listing GET /appium/sessions'],
  ['Appium, checked', 'GET /status', null, 'other GET /status'],
  ['Appium, checked', 'GET /drivers/own', null, '401'],
  ['Appium, checked', 'GET /drivers/own', 'ben', 'other GET /drivers/own'],
  ['Appium, checked', 'OPTIONS /drivers/own', null, 'other OPTIONS /drivers/own'],
  ['Appium, checked', 'GET /svc/api/x', null, 'site /svc/api/x'],
  ['Appium, checked', 'GET /svc-callback/secret/session/S/url', 'max', '404'],
  ['Appium, unchecked', COMMAND, null, FORWARDED],
  ['Appium, unchecked', 'GET /appium/sessions', null, 'listing GET /appium/sessions'],
  ['Appium, unchecked', 'GET /drivers/own', null, 'other GET /drivers/own'],
  ['Appium, unchecked', 'GET //session/S/url', null, 'other GET //session/S/url'],
  ['Appium, unchecked', 'GET /svc-callback/secret/session/S/url', null, '404'],
  ['guarded node, unchecked', COMMAND, 'max', '404'],
  ['guarded node, unchecked', 'GET /session/other/url', null, 'command GET /session/other/url'],
  ['guarded node, unchecked', 'POST /session', null, '500'],
  ['grid, checked', COMMAND, null, '404'],
  ['grid, checked', COMMAND, 'ana', FORWARDED],
  ['grid, checked', 'OPTIONS /session/S/url', null, '404'],
  ['grid, checked', 'GET //session/S/url', 'ana', '400'],
  ['grid, checked', 'POST /session', null, created.answer],
  ['grid, checked', 'PUT /session', null, 'create PUT /session'],
  ['grid, checked', 'POST /wd/hub/session', null, '400'],
  ['grid, checked', 'GET /appium/sessions', null, 'listing GET /appium/sessions'],
  ['grid, checked', 'GET /status', null, READY],
  ['grid, checked', 'GET /status', 'max', 'other GET /status'],
  ['grid, checked', 'GET /graphql', null, '401'],
  ['grid, checked', 'GET /graphql', 'ana', '403'],
  ['grid, checked', 'GET /graphql', 'max', 'other GET /graphql'],
  ['grid, checked', 'GET /', null, 'site /'],
  ['grid, checked', 'GET /svc-callback/secret/session/S/url', 'max', '404'],
  ['grid, unchecked', COMMAND, null, FORWARDED],
  ['grid, unchecked', 'GET /graphql', 'ana', '403'],
  ['grid without sign-in', 'GET /graphql', null, 'other GET /graphql'],
  ['further entrance, checked', COMMAND, 'ben', '404'],
  ['further entrance, checked', COMMAND, 'ana', FORWARDED],
  ['further entrance, checked', 'POST /session', null, 'first entrance POST /session'],
  ['further entrance, checked', 'PUT /session', null, 'create PUT /session'],
  ['further entrance, checked', 'GET /graphql', 'ana', '403'],
  ['further entrance, checked', 'GET /status', null, READY],
];

describe('each gate lets through what its server may get (contract 7)', () => {
  it.each(TABLE)('%s: %s as %s: %s', async (shape, line, as, result) => {
    const send = await start(SHAPES[shape]?.() ?? expect.unreachable());
    expect(await send(line, as)).toBe(result);
  });
});

describe('a session list (specification 5.7.8)', () => {
  const contexts = async (as: string | null): Promise<GateContext | undefined> => {
    let seen: GateContext | undefined;
    const keeping: Upstream = {
      ...upstream,
      request: (_req, res, context) => {
        seen = context;
        res.end();
      },
    };
    const send = await start(checkingGate(authenticate, { ...shared, upstream: keeping }).request);
    await send('GET /appium/sessions', as);
    return seen;
  };

  it.each([
    ['ana', 'ana'],
    [null, undefined],
    ['unknown', undefined],
  ])(
    'a session list is filtered for the caller that the gate recognized: %s (specification 5.7.8)',
    async (as, id) => {
      const context = await contexts(as);
      expect(context?.kind === 'listing' && context.caller?.account.id).toBe(id);
    },
  );

  it('the session list of a grid has the sessions that the caller may drive, and no others (specification 5.7.8)', async () => {
    const rows = ['ana', 'ben', null].map((ownerId) => ({
      id: `of ${ownerId}`,
      ownerId,
      startedAt: 7,
      capabilities: {},
    }));
    const upstream = gridUpstream({
      client: { address: { basePath: '' } },
      sessions: { running: () => rows as unknown as DriverSession[] },
      basePath: '',
      clock: { now: () => 0 },
      log: { error() {} },
    } as never);
    const send = await start(gridGate({ ...options({ upstream }), grid: client }).request);
    const listed = async (as: string | null) =>
      (JSON.parse(await send('GET /appium/sessions', as)) as { value: { id: string }[] }).value.map(
        ({ id }) => id,
      );
    expect(await listed('ana')).toEqual(['of ana']);
    expect(await listed('max')).toEqual(['of ana', 'of ben', 'of null']);
    expect(await listed(null)).toEqual([]);
  });
});

describe('counts and records of creates (contract 5)', () => {
  it('counts and records of creates count what the gate decided, and record what it refused (contract 5)', async () => {
    const noted: unknown[] = [];
    const refusals = { note: (entry: { reason: string; caller: string | null }) => noted.push(entry) };
    const place = () => Promise.reject(notCreated('no phone is free'));
    const gate = checkingGate(authenticate, {
      ...shared,
      requireSessionToken: true,
      refusals: refusals as never,
      places: { place },
    });
    const send = await start(gate.request);
    expect(await send('POST /session')).toBe('400');
    expect(gate.counts.creates).toMatchObject({ denied: 1, owned: 0, ownerless: 0 });
    expect(noted).toMatchObject([
      { kind: 'create', path: '/session', reason: 'no credentials', caller: null },
    ]);
    const open = checkingGate(authenticate, { ...shared, refusals: refusals as never, places: { place } });
    expect(await (await start(open.request))('POST /session')).toBe('500');
    expect(open.counts.creates).toMatchObject({ denied: 0, ownerless: 1 });
    expect(noted).toMatchObject([{}, { reason: 'no phone is free', status: 500 }]);
  });
});
