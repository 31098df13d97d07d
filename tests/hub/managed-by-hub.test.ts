import { SvcClient } from '@svc/client';
import { acceptedProof, type ErrorCode, errorsOf, type Route, routes } from '@svc/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeToken, type RunningServer, startApi } from '../support/lab.ts';
import { makePerson, type Person } from '../support/sessions.ts';
import { upgrade } from '../support/web-socket.ts';
import { nodeEnv, signInToNode } from './support/hub.ts';

/* A node's REST API for its own accounts. The hub is unreachable, because no request here needs it. */

const UDID = 'camera';
const device = {
  udid: UDID,
  name: 'Camera',
  platform: 'Android',
  osVersion: '14',
  mjpegUrl: 'http://127.0.0.1:9/',
  h264Url: 'ws://127.0.0.1:9/',
};
const HUB = 'http://127.0.0.1:9';
const KEY = {
  id: 'x',
  accessKey: 'svc_x',
  token: 'svct_x',
  headers: { 'x-svc-access-key': '', 'x-svc-token': '' },
};
const asNode = nodeEnv({ url: HUB, nodeKey: KEY }, 'http://127.0.0.1:4700');
const withDevice = { SVC_DEVICES: JSON.stringify([device]) };

const isManaged = (route: Route) => errorsOf(route).includes('managed_by_hub');
const managed = Object.entries<Route>(routes).filter(([, route]) => isManaged(route));
const pathOf = ({ path }: Route) => path.replace(':udid', UDID).replace(':id', crypto.randomUUID());
/** Bodies that the routes would accept, by route. */
const BODIES: Readonly<Record<string, object>> = {
  typeText: { text: 'typed' },
  setClipboard: { content: 'copied' },
  tap: { x: 0.5, y: 0.5 },
  createLease: { udid: UDID, minutes: 5 },
  changeLease: { minutes: 5 },
};

type Headers = Readonly<Record<string, string>>;

/**
 * Calls a route.
 * @returns status and error code
 */
async function ask(server: RunningServer, name: string, route: Route, headers: Headers) {
  if (route.webSocket) return [(await upgrade(server.url, `/svc/api${pathOf(route)}`, headers)).status];
  const { method } = route;
  const json = BODIES[name];
  const answer = await server.api(pathOf(route), {
    method,
    headers,
    ...(json === undefined ? {} : { json }),
  });
  const { error } = (await answer.json()) as { error: ErrorCode };
  return [answer.status, error];
}

let node: RunningServer;
let cookie: string;
let root: Person;
let mia: Person;

beforeAll(async () => {
  node = await startApi({ env: { ...asNode, ...withDevice } });
  cookie = await signInToNode(node);
  root = await makePerson(node, cookie, 'root@example.test', 'Super admin');
  mia = await makePerson(node, cookie, 'mia@example.test');
});

describe('what belongs to the hub of a node', () => {
  it.each(managed)(
    '%s is refused to every account of the node, in any way it proves itself (contract 8.3)',
    async (name, route) => {
      const key = await makeToken(node.url, cookie, { scopes: ['admin'] });
      const bearer = await new SvcClient({ url: node.url, credential: key }).call('issueBearer', {
        body: {},
      });
      const proofs: readonly Headers[] = [
        { cookie },
        key.headers,
        { authorization: `Bearer ${bearer.token}` },
        root.headers,
        { cookie: mia.cookie },
        mia.headers,
      ];
      const refused = route.webSocket ? [403] : [403, 'managed_by_hub'];
      for (const headers of proofs) expect(await ask(node, name, route, headers)).toEqual(refused);
    },
  );

  it.each(managed)('%s is refused to strangers as on any server (contract 8.3)', async (name, route) => {
    const error = acceptedProof(route.access, 'credential') ? 'unauthenticated' : 'invalid ticket';
    expect(await ask(node, name, route, {})).toEqual(route.webSocket ? [401] : [401, error]);
    const wrong = { 'x-svc-access-key': root.accessKey, 'x-svc-token': `${root.token.slice(0, -1)}x` };
    expect((await ask(node, name, route, wrong))[0]).toBe(401);
  });

  it('a node that a hub manages takes no ticket, whatever it is, and says which hub to ask (contract 8.3)', async () => {
    const path = `/control/${UDID}/stream?ticket=${'a'.repeat(40)}`;
    const stranger = await node.api(path);
    expect([stranger.status, await stranger.json()]).toMatchObject([401, { error: 'invalid ticket' }]);
    const head = await node.api(path, { method: 'HEAD', headers: { cookie } });
    expect(head.status).toBe(403);
    const own = await node.api(path, { headers: { cookie } });
    expect([own.status, await own.json()]).toMatchObject([
      403,
      { error: 'managed_by_hub', message: expect.stringContaining(HUB) },
    ]);
  });

  it('a node that a hub manages still shows what is its own: phones and sessions are listed (contract 8.3)', async () => {
    const devices = await node.api('/devices', { headers: { cookie } });
    expect([devices.status, await devices.json()]).toMatchObject([200, [{ udid: UDID, status: 'free' }]]);
    expect((await node.api('/sessions', { headers: { cookie } })).status).toBe(200);
    const { routes: rows } = await new SvcClient({ url: node.url, credential: root }).call('accessMatrix');
    const typing = rows.find(({ path }) => path === '/svc/api/control/:udid/text');
    expect(typing?.allowed).toEqual({ Member: [], Admin: [], 'Super admin': [] });
  });

  it('the routes of a managed node are refused to everybody where sign-in is off (contract 8.3)', async () => {
    const open = await startApi({ env: { ...asNode, ...withDevice, SVC_AUTH_DISABLED: 'true' } });
    for (const [name, route] of managed)
      expect([name, (await ask(open, name, route, {}))[0]]).toEqual([name, 403]);
    expect((await open.api('/devices')).status).toBe(200);
  });
});
