import { afterAll, beforeAll, expect, it } from 'vitest';
import { remote } from 'webdriverio';
import { labInfo, type RunningServer, request } from '../support/lab.ts';
import { makePerson, type Person, pairOf } from '../support/sessions.ts';
import { devicesOf, type Hub, isThere, startHub, startNode, until } from './support/hub.ts';

let hub: Hub;
let node: RunningServer;
let ana: Person;

beforeAll(async () => {
  hub = await startHub({ env: { SVC_LAB_DEVICES: '2', SVC_QUEUE_SECONDS: '120' } });
  node = await startNode(hub, { prefix: 'far', env: { SVC_LAB_DEVICES: '2', SVC_LAB_LOG_LEVEL: 'debug' } });
  ana = await makePerson(hub, hub.admin, 'ana@queue.test');
  await until(() => devicesOf(hub, hub.admin), isThere('far-2'));
});
afterAll(async () => {
  await node?.stop();
  await hub?.stop();
});

async function worker() {
  const { capabilities } = await labInfo(hub.url);
  return await remote({
    hostname: '127.0.0.1',
    port: Number(new URL(hub.url).port),
    path: '/',
    logLevel: 'silent',
    connectionRetryCount: 0,
    connectionRetryTimeout: 120_000,
    headers: ana.headers,
    capabilities: { ...capabilities, 'svc:options': pairOf(ana) } as WebdriverIO.Capabilities,
  });
}

/** Returns the times at which the waiting requests began to wait, in the order of the queue. */
const waiting = async (): Promise<string[]> => {
  const answer = await request(`${hub.url}/svc/api/queue`, { headers: ana.headers });
  const { items } = (await answer.json()) as { items: { since: string }[] };
  return items.map(({ since }) => since);
};

it('twelve WebdriverIO workers on four phones of a hub and a node finish in order, without a retry (contract 13)', async () => {
  const workers: ReturnType<typeof worker>[] = [];
  for (let count = 1; count <= 12; count += 1) {
    const started = worker();
    workers.push(started);
    if (count <= 4) await started;
    else await until(waiting, ({ length }) => length === count - 4);
  }
  const arrivals = await waiting();
  const udids = new Set<unknown>();
  for (const [at, started] of workers.entries()) {
    const driver = await started;
    expect(await driver.getPageSource()).toContain('<');
    udids.add((driver.capabilities as unknown as { udid: string }).udid);
    await driver.deleteSession();
    const left = arrivals.slice(at + 1);
    expect(await until(waiting, ({ length }) => length === left.length)).toEqual(left);
  }
  expect(udids.size).toBe(4);
  // The request waits at the hub, so the node must not get the capability.
  expect(node.output()).not.toContain('queueSeconds');
}, 120_000);
