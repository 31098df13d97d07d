import { beforeAll, describe, expect, it } from 'vitest';
import { makeToken, type RunningServer, signIn, startApi } from '../support/lab.ts';
import { nodeEnv } from './support/hub.ts';

/* The hub is the API without Appium. No server listens at the addresses that are registered. */

const EVERYWHERE = { HOST: '0.0.0.0' };

type Hub = Awaited<ReturnType<typeof startHub>>;

/** A hub that other hosts can reach, and a hub that listens on loopback only. */
let reachable: Hub;
let local: Hub;
beforeAll(async () => {
  [reachable, local] = await Promise.all([startHub(EVERYWHERE), startHub({})]);
});

async function startHub(env: Record<string, string>) {
  const hub = await startApi({ env });
  const cookie = await signIn(hub.url);
  const key = await makeToken(hub.url, cookie, { name: 'nodes', scopes: ['admin'] });
  const listed = async (path: string) => (await hub.api(path, { headers: key.headers })).json();
  return {
    ...hub,
    key,
    listed,
    register: (url: string, more: object = {}) => register(hub, key.headers, url, more),
  };
}

async function register(hub: RunningServer, headers: Record<string, string>, url: string, more: object) {
  const json = { url, version: 'test', devices: [], ...more };
  const answer = await hub.api('/nodes', { method: 'POST', headers, json });
  const { error, message } = (await answer.json()) as { error?: string; message?: string };
  return { status: answer.status, error, message };
}

const REFUSED = [
  ...['http://127.0.0.1:4723', 'http://127.1:4723', 'http://2130706433:4723', 'http://0x7f.1:4723'],
  ...['http://localhost:4723', 'http://[::1]:4723', 'http://[::ffff:127.0.0.1]:4723', 'http://0.0.0.0:4723'],
  ...['http://169.254.169.254', 'http://169.254.0.9:4723', 'http://[fe80::1]:4723', 'http://[::]:4723'],
  ...[
    'http://[fd00:ec2::254]',
    'http://100.100.100.200',
    'http://224.0.0.1:4723',
    'https://[64:ff9b::7f00:1]',
  ],
];
const ORDINARY = [
  'http://10.1.2.3:4723',
  'http://172.16.9.9:4723',
  'http://192.168.1.7:4723',
  'https://node.invalid',
];

describe('the address of a node', () => {
  it('the address of a node is refused before anything of the report is taken over (contract 8.3)', async () => {
    await reachable.register('http://127.0.0.1:4723', { devices: [{ udid: 'far-1' }] });
    expect(await reachable.listed('/devices')).toEqual([]);
    expect(await reachable.listed('/nodes')).toEqual([]);
  });

  it('the address of a node is refused on a hub that others reach, unless it is an ordinary one, private networks included (contract 8.3)', async () => {
    for (const url of REFUSED)
      expect({ url, ...(await reachable.register(url)) }).toMatchObject({
        url,
        status: 400,
        error: 'invalid_url',
        message: expect.stringContaining('SVC_NODE_ALLOW'),
      });
    for (const url of ORDINARY)
      expect({ url, ...(await reachable.register(url)) }).toMatchObject({ url, status: 200 });
    expect(await reachable.listed('/nodes')).toHaveLength(ORDINARY.length);
    await reachable.line(/A node at http:\/\/127\.0\.0\.1:4723 may not register.*SVC_NODE_ALLOW/);
  });

  it('the address of a node may be loopback for a hub that listens on loopback alone, and still no link-local one (contract 8.3)', async () => {
    for (const url of [
      'http://127.0.0.1:4723',
      'http://127.9.9.9:4723',
      'http://localhost:4724',
      'http://[::1]:4723',
    ])
      expect({ url, ...(await local.register(url)) }).toMatchObject({ url, status: 200 });
    for (const url of ['http://169.254.169.254', 'http://0.0.0.0:4723', 'http://[fe80::1]:4723'])
      expect({ url, ...(await local.register(url)) }).toMatchObject({
        url,
        status: 400,
        error: 'invalid_url',
      });
  });

  it('the address of a node is what SVC_NODE_ALLOW names, by address, range and host, and nothing beside it (contract 8.3)', async () => {
    const hub = await startHub({ ...EVERYWHERE, SVC_NODE_ALLOW: '127.0.0.8/30, ::1, localhost' });
    for (const url of ['http://127.0.0.9:1', 'http://[::1]:1', 'http://localhost:1'])
      expect({ url, ...(await hub.register(url)) }).toMatchObject({ url, status: 200 });
    for (const url of ['http://127.0.0.1:1', 'http://169.254.169.254'])
      expect({ url, ...(await hub.register(url)) }).toMatchObject({ url, status: 400 });
  });

  it.each([
    ['a base path', { basePath: '/wd/..' }],
    ['a base path', { basePath: '/./hub' }],
    ['a phone', { devices: [{ udid: '..' }] }],
    ['a session', { sessions: { boot: 'b', sequence: 0, running: [{ id: '..', udid: null }], ended: [] } }],
  ])('%s that is a dot segment in a path is no part of a report: %j (contract 8.3)', async (_, more) => {
    expect(await local.register('http://127.0.0.1:4723', more)).toMatchObject({
      status: 400,
      error: 'bad_request',
    });
  });
});

it('a node that its hub refuses for its address says in its log what to set, and where (contract 8.3)', async () => {
  const url = `http://127.0.0.1:${new URL(reachable.url).port}`;
  const node = await startApi({ env: nodeEnv({ url, nodeKey: reachable.key }, 'http://127.0.0.1:4799') });
  await node.line(
    /The hub does not accept this node at http:\/\/127\.0\.0\.1:4799: 400 .*SVC_NODE_ALLOW on the hub/,
  );
});
