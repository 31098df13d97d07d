import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HeldCommands, HOLDING_PLUGIN, holdCommands } from '../appium/support/held-commands.ts';
import { runAppium } from '../support/appium.ts';
import { request } from '../support/lab.ts';
import { createSession } from '../support/sessions.ts';
import { nodeEnv } from './support/hub.ts';
import { type StandInHub, startStandInHub } from './support/stand-in-hub.ts';

const KEY = {
  id: 'x',
  accessKey: `svc_${'k'.repeat(24)}`,
  token: `svct_${'t'.repeat(49)}`,
  headers: { 'x-svc-access-key': '', 'x-svc-token': '' },
};

describe.each([
  ['that checks commands', { SVC_REQUIRE_COMMAND_AUTH: 'true' }],
  ['that checks the commands of its hub only', {}],
])('a plugin on a node %s (contract 7)', (_what, settings) => {
  let commands: HeldCommands;
  let hub: StandInHub;
  let node: Awaited<ReturnType<typeof runAppium>>;

  beforeAll(async () => {
    [commands, hub] = await Promise.all([holdCommands(), startStandInHub()]);
    node = await runAppium({
      plugins: ['holding', 'svc'],
      own: { holding: HOLDING_PLUGIN },
      env: { ...nodeEnv({ url: hub.url, nodeKey: KEY }, 'http://127.0.0.1:1'), ...settings, ...commands.env },
      args: ['--log-level', 'debug'],
    });
    await node.line(/REST http interface listener started/);
  });
  afterAll(async () => {
    await node?.stop();
    await hub?.leave();
    commands?.close();
  });

  it('calls the node back for a session that came through the hub, while its command runs', async () => {
    const headers = { 'x-svc-hub-token': await hub.createToken('virtual-1') };
    const { status, body } = await createSession(node.url, undefined, { headers });
    expect(status, JSON.stringify(body)).toBe(200);
    const id = body.value.sessionId;
    await node.line(/called back during create: 200/);

    const running = commands.next();
    const url = `${node.url}/session/${id}`;
    const ended = request(`${url}/appium/hold`, {
      method: 'POST',
      headers: { 'x-svc-hub-token': await hub.commandToken(id) },
      json: {},
    });
    const { base, release } = await running;
    expect((await request(`${base}/session/${id}/timeouts`)).status).toBe(200);
    expect((await request(`${url}/timeouts`)).status).toBe(404);
    release();
    expect((await ended).status).toBe(200);
    expect((await request(`${base}/session/${id}/timeouts`)).status).toBe(404);
    expect(node.output()).toContain(`/session/${id}/timeouts`);
    expect(node.output().includes(new URL(base).pathname)).toBe(false);
  });
});
