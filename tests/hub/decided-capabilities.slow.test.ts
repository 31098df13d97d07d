import { beforeAll, expect, it } from 'vitest';
import { FAKE_PHONE } from '../support/appium.ts';
import { type RunningServer, request } from '../support/lab.ts';
import { makePerson, type Options, type Person, pairOf } from '../support/sessions.ts';
import { devicesOf, type Hub, isThere, startHub, startNode, until } from './support/hub.ts';

/** A hub that leaves a capability to its clients, in front of a node that does not. */

let hub: Hub;
let node: RunningServer;
let ana: Person;

beforeAll(async () => {
  hub = await startHub({ env: { SVC_HOST_CAPABILITIES: 'keystorePath' } });
  node = await startNode(hub, { prefix: 'far' });
  ana = await makePerson(hub, hub.admin, 'ana@example.test');
  await until(() => devicesOf(hub, hub.admin), isThere('far-1'));
});

async function create(server: RunningServer, places: (evil: Options) => object, evil: Options) {
  const answer = await request(`${server.url}/session`, { method: 'POST', json: places(evil) });
  const text = await answer.text();
  const { value } = JSON.parse(text) as { value: { message?: string; sessionId?: string } };
  return { status: answer.status, message: value.message, sessionId: value.sessionId, text };
}

const usual = () => ({ ...FAKE_PHONE, 'appium:udid': 'far-1', 'svc:options': pairOf(ana) });
/** Places of a capability, and whether a hub sends it to the node from there. */
const PLACES: readonly [string, boolean, (evil: Options) => object][] = [
  ['alwaysMatch', true, (evil) => ({ capabilities: { alwaysMatch: { ...usual(), ...evil } } })],
  [
    'the second entry of firstMatch',
    false,
    (evil) => ({ capabilities: { alwaysMatch: usual(), firstMatch: [{}, evil] } }),
  ],
  [
    'appium:options within appium:options',
    true,
    (evil) => ({
      capabilities: { alwaysMatch: { ...usual(), 'appium:options': { 'appium:options': evil } } },
    }),
  ],
  [
    'desiredCapabilities',
    false,
    (evil) => ({ desiredCapabilities: evil, capabilities: { alwaysMatch: usual(), firstMatch: [{}] } }),
  ],
];

it.each(PLACES)(
  'a hub refuses a capability in %s, and a node refuses what only its hub leaves to clients (contract 14.1)',
  async (_place, isForwarded, places) => {
    const sent = { 'appium:chromedriverExecutable': '/bin/true' };
    expect(await create(hub, places, sent)).toMatchObject({
      status: 400,
      message: 'svc decides on appium:chromedriverExecutable; leave it out',
    });
    expect(await create(node, places, sent)).toMatchObject({
      message: expect.stringMatching(/^session rejected: create sessions through the hub/),
    });
    const left = await create(hub, places, { 'appium:keystorePath': '/etc/hostname' });
    if (isForwarded) {
      expect(left.message).toBe('svc decides on appium:keystorePath; leave it out');
      return;
    }
    expect(left).toMatchObject({ status: 200 });
    expect(left.text).not.toContain('keystorePath');
    await request(`${hub.url}/session/${left.sessionId}`, { method: 'DELETE', headers: ana.headers });
  },
);
