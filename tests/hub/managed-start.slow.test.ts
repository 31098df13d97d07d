import { describe, expect, it } from 'vitest';
import { freshDataDir, request, startApi } from '../support/lab.ts';
import { NODE_PASSWORD, nodeEnv, signInToNode } from './support/hub.ts';

/* The start of a node. Its hub is unreachable, because no request here needs it. */

const DEVICE = { udid: 'camera', name: 'Camera', platform: 'Android', osVersion: '14' };
const withDevice = { SVC_DEVICES: JSON.stringify([DEVICE]) };
const KEY = {
  id: 'x',
  accessKey: 'svc_x',
  token: 'svct_x',
  headers: { 'x-svc-access-key': '', 'x-svc-token': '' },
};
const asNode = nodeEnv({ url: 'http://127.0.0.1:9', nodeKey: KEY }, 'http://127.0.0.1:4700');

it('leases from before a server became a node end at its start, with an audit row (contract 8.3)', async () => {
  const dataDir = freshDataDir();
  const password = { SVC_BOOTSTRAP_ADMIN_PASSWORD: NODE_PASSWORD };
  const before = await startApi({ dataDir, env: { ...withDevice, ...password } });
  const owner = { cookie: await signInToNode(before) };
  const made = await before.api('/leases', {
    method: 'POST',
    headers: owner,
    json: { udid: DEVICE.udid, minutes: 9 },
  });
  expect(made.status).toBe(201);
  await before.stop();
  const after = await startApi({ dataDir, env: { ...asNode, ...withDevice } });
  const [row] = (await (await after.api('/devices', { headers: owner })).json()) as object[];
  expect(row).not.toHaveProperty('lease');
  const trail = (await (await after.api('/audit', { headers: owner })).json()) as { items: object[] };
  expect(trail.items).toContainEqual(
    expect.objectContaining({
      event: 'lease_ended',
      target: DEVICE.udid,
      reason: expect.stringContaining('node'),
    }),
  );
});

describe('the start of a node', () => {
  const refused = async (options: Parameters<typeof startApi>[0]) =>
    await startApi(options).then(
      () => 'it started',
      (error: Error) => error.message,
    );

  it('the start of a node fails with the built-in password and says what to set, on new data and on old (contract 8.3)', async () => {
    const { SVC_BOOTSTRAP_ADMIN_PASSWORD: _, ...unset } = asNode;
    const dataDir = freshDataDir();
    expect(await refused({ dataDir, env: unset })).toMatch(/svc: .*Set SVC_BOOTSTRAP_ADMIN_PASSWORD/);
    await (await startApi({ dataDir })).stop();
    expect(await refused({ dataDir, env: asNode })).toMatch(
      /svc: .*admin@svc\.local still has the built-in password.*SVC_BOOTSTRAP_RESET_PASSWORD=true/,
    );
    const reset = { ...asNode, SVC_BOOTSTRAP_RESET_PASSWORD: 'true' };
    const started = await startApi({ dataDir, env: reset });
    const { status } = await request(`${started.url}/svc/api/health`);
    expect(status).toBe(200);
  });
});
