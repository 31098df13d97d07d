import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type RunningServer, signIn, startApi } from '../support/lab.ts';
import { type ScriptedUsbmuxd, scriptedUsbmuxd } from './support/scripted-usbmuxd.ts';
import { type ScriptedWda, scriptedWda } from './support/scripted-wda.ts';

const PLUGGED = '00008130-000C3DD901E0001C';

/** Body of any response. Each test casts it to the expected shape. */
// biome-ignore lint/suspicious/noExplicitAny: the tests compare the bodies
type Body = any;

let wda: ScriptedWda;
let mux: ScriptedUsbmuxd;
let server: RunningServer;
let cookie: string;

beforeAll(async () => {
  wda = await scriptedWda();
  mux = await scriptedUsbmuxd();
  mux.connectTo(wda.port);
  mux.describe(PLUGGED, { DeviceName: 'iPhone', ProductType: 'iPhone16,2', ProductVersion: '26.3.1' });
  server = await startApi({
    env: {
      SVC_DEVICES: JSON.stringify([
        { udid: 'mac-phone', name: 'iPhone 13', platform: 'iOS', osVersion: '17.4', wdaUrl: `${wda.url}/` },
        {
          udid: 'dead-phone',
          name: 'iPhone 12',
          platform: 'iOS',
          osVersion: '17.4',
          wdaUrl: 'http://127.0.0.1:1',
        },
      ]),
      SVC_IOS: 'true',
      SVC_IOS_WDA: 'true',
      SVC_IOS_WDA_BUNDLE_ID: 'com.acme.Runner.xctrunner',
      USBMUXD_SOCKET_ADDRESS: `UNIX:${mux.path}`,
      PATH: `${mux.folder}:${process.env.PATH}`,
      SVC_LOG_LEVEL: 'debug',
    },
  });
  cookie = await signIn(server.url);
}, 60_000);
afterAll(async () => {
  await server?.stop();
  await mux?.close();
  wda?.close();
});

const api = async (path: string, method = 'GET', json?: object) => {
  const answer = await server.api(path, {
    method,
    headers: { cookie },
    ...(json === undefined ? {} : { json }),
  });
  const type = answer.headers.get('content-type') ?? '';
  const body: Body = type.includes('json') ? await answer.json() : await answer.text();
  return { status: answer.status, type, body };
};
const phone = async (udid: string) => (await api('/devices')).body.find((each: Body) => each.udid === udid);
const lease = (udid: string) => api('/leases', 'POST', { udid, minutes: 5 });

describe('an iPhone whose WebDriverAgent the operator names', () => {
  it('an iPhone whose WebDriverAgent the operator names gets the input of the holder of its lease, and everybody with the scope sees its screen without a session (contract 14.6)', async () => {
    expect(await phone('mac-phone')).toMatchObject({ status: 'free', directInput: true });
    const put = (kind: string, body: object) => api(`/control/mac-phone/${kind}`, 'POST', body);
    expect((await put('tap', { x: 0.5, y: 0.5 })).status).toBe(409);
    expect(wda.asked).toEqual(expect.not.arrayContaining([expect.stringContaining('actions')]));
    await lease('mac-phone');
    const inputs = [
      ['tap', { x: 0.5, y: 1 }],
      ['text', { text: 'é漢😀' }],
      ['clipboard', { content: 'copied' }],
      ['key', { key: 'home' }],
      ['swipe', { from: { x: 0, y: 0 }, to: { x: 1, y: 1 }, durationMs: 250 }],
    ] as const;
    for (const [kind, body] of inputs) expect([kind, (await put(kind, body)).status]).toEqual([kind, 204]);
    wda.replaceSession();
    expect((await put('key', { key: 'enter' })).status).toBe(204);
    expect((await put('key', { key: 'back' })).body).toMatchObject({ error: 'unsupported_input' });
    const sent = wda.asked.filter((line) => /\/(actions|wda|session)/.test(line)).join('\n');
    expect(sent).toContain('"x":195,"y":843');
    expect(sent).toContain('/wda/keys {"value":["é","漢","😀"]}');
    expect(sent).toContain(`"content":"${Buffer.from('copied').toString('base64')}"`);
    expect(sent).toContain('"duration":250');
    expect(sent.match(/POST \/session /g)).toHaveLength(2);

    expect((await api('/control/mac-phone/streams')).body).toMatchObject({ mjpeg: true, logs: false });
    expect(await api('/control/mac-phone/screenshot')).toMatchObject({ status: 200, type: 'image/png' });
  });

  it('an iPhone is refused as a failure of the driver if it does not respond, and no response, event, audit row or log names its address (contract 14.6)', async () => {
    await lease('dead-phone');
    const failed = await api('/control/dead-phone/tap', 'POST', { x: 0, y: 0 });
    expect(failed).toMatchObject({ status: 502, body: { error: 'driver_failed' } });
    const shown = [failed.body, (await api('/devices')).body, (await api('/audit?limit=200')).body];
    const inputs = (await api('/audit?limit=200')).body.items.filter(
      (row: Body) => row.event === 'device_input',
    );
    expect(inputs.length).toBeGreaterThan(5);
    for (const each of [...shown, (await api('/leases')).body])
      expect(JSON.stringify(each)).not.toMatch(/:\/\/127|wdaUrl/);
    expect(server.output()).not.toContain(wda.url);
    expect(server.output()).not.toContain('127.0.0.1:1 ');
  });
});

describe('a plugged-in iPhone on which the lab runs WebDriverAgent', () => {
  it('a plugged-in iPhone on which the lab runs WebDriverAgent says what somebody has to do, then offers input, screen and log, and its go-ios ends with the lab (contract 14.6)', async () => {
    const patient = { timeout: 20_000 };
    writeFileSync(join(mux.folder, 'broken'), '');
    mux.tell('devmode', '{"DeveloperModeEnabled":false}');
    mux.tell('tunnel', '[]');
    mux.plug(3, PLUGGED);
    await expect
      .poll(() => phone(PLUGGED), patient)
      .toMatchObject({ status: 'away', problem: 'developer mode off' });
    mux.tell('devmode', '{"DeveloperModeEnabled":true}');
    await expect.poll(() => phone(PLUGGED), patient).toMatchObject({ status: 'away', problem: 'no tunnel' });
    rmSync(join(mux.folder, 'broken'));
    await expect.poll(() => phone(PLUGGED), patient).toMatchObject({ status: 'free', directInput: true });
    expect('problem' in (await phone(PLUGGED))).toBe(false);
    expect((await api(`/control/${PLUGGED}/streams`)).body).toEqual({ mjpeg: true, h264: false, logs: true });
    expect(await api(`/control/${PLUGGED}/screenshot`)).toMatchObject({ status: 200, type: 'image/png' });
    await lease(PLUGGED);
    expect((await api(`/control/${PLUGGED}/tap`, 'POST', { x: 0.1, y: 0.1 })).status).toBe(204);

    const { ticket } = (await api(`/control/${PLUGGED}/stream/ticket`, 'POST')).body;
    const socket = new WebSocket(
      `${server.url.replace(/^http/, 'ws')}/svc/api/control/${PLUGGED}/logs?ticket=${ticket}`,
    );
    const lines: string[] = [];
    socket.on('message', (line) => lines.push(String(line)));
    await expect.poll(() => lines, patient).toEqual(['SpringBoard: opened', 'plain line']);
    socket.terminate();

    const runs = readFileSync(join(mux.folder, 'runs'), 'utf8').trim().split('\n');
    const [pid, ...args] = (runs.at(-1) ?? '').split(' ');
    expect(args).toEqual([
      'runwda',
      `--udid=${PLUGGED}`,
      '--bundleid=com.acme.Runner.xctrunner',
      '--testrunnerbundleid=com.acme.Runner.xctrunner',
      '--xctestconfig=WebDriverAgentRunner.xctest',
    ]);
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    // SIGKILL leaves the server no time to end go-ios itself.
    await server.stop('SIGKILL');
    await expect.poll(() => existsSync(`/proc/${pid}`), patient).toBe(false);
    expect(server.output()).not.toMatch(/http:\/\/127\.0\.0\.1:(?!0)\d+\/(status|session|screenshot)/);
  }, 90_000);
});
