import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAppium } from '../support/appium.ts';
import { request } from '../support/lab.ts';
import { exchange } from '../support/raw-http.ts';
import { until } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { close, upgrade } from '../support/web-socket.ts';

const UPGRADE =
  'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

describe.each([
  ['with the command check', { SVC_REQUIRE_COMMAND_AUTH: 'true' }],
  ['without it', { SVC_REQUIRE_SESSION_TOKEN: 'true' }],
])('upgrades no honest client sends, %s (spec 5.7.7)', (_name, env) => {
  let lab: Awaited<ReturnType<typeof startAppium>>;
  let ana: Person;
  let id: string;

  beforeAll(async () => {
    lab = await startAppium({ env });
    ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
    id = (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
  });
  afterAll(() => lab?.stop());

  const TARGETS = ['/svc/x', '/svc/api/auth/me', '/bidi/unknown', '/bidi/ID', '/ws/session/ID/x'];
  const named = (target: string) => target.replace('ID', id);

  const dial = async (allowHalfOpen = false): Promise<Socket> => {
    const { hostname, port } = new URL(lab.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen });
    await once(socket, 'connect');
    return socket;
  };

  const goesOn = async () => {
    expect((await request(`${lab.url}/status`)).status).toBe(200);
    expect((await request(`${lab.url}/session/${id}/timeouts`, { headers: ana.headers })).status).toBe(200);
    expect(lab.child.exitCode).toBeNull();
  };

  it.each(TARGETS)(
    'the server survives an upgrade sent behind a request that is still to be answered: %s (spec 5.7.7)',
    async (target) => {
      const first = 'GET /status HTTP/1.1\r\nHost: x\r\n\r\n';
      const behind = `GET ${named(target)} HTTP/1.1\r\n${UPGRADE}\r\n`;
      // An accepted socket stays open until its sender closes it.
      const socket = await dial();
      socket.on('error', () => {}).resume();
      socket.end(first + behind);
      await once(socket, 'close');
      await goesOn();
    },
  );

  it.each(TARGETS)(
    'the server survives an upgrade of a client that disconnects before the answer: %s (spec 5.7.7)',
    async (target) => {
      for (let time = 0; time < 200; time++) {
        const socket = await dial();
        socket.on('error', () => {});
        socket.write(`GET ${named(target)} HTTP/1.1\r\n${UPGRADE}\r\n`);
        socket.resetAndDestroy();
      }
      await goesOn();
    },
  );

  it('the connection of a client that never closes its half is closed (spec 5.7.7)', async () => {
    const socket = await dial(true);
    socket.on('error', () => {}).resume();
    socket.write(`GET /svc/x HTTP/1.1\r\n${UPGRADE}\r\n`);
    await once(socket, 'end');
    const isGone = async () => {
      socket.write('x');
      return socket.destroyed;
    };
    expect(await until(isGone, (gone) => gone)).toBe(true);
  });

  it('an upgrade to a BiDi session that Appium does not know is refused, because a wrong frame on it ends Appium (appium-notes 8)', async () => {
    const unknown = ['/bidi/unknown', `/bidi/${id.toUpperCase()}`, '/bidi/x/../unknown'];
    for (const target of unknown) {
      const frame = Buffer.from([0xf1, 0x85, 0, 0, 0, 0, 1, 2, 3, 4, 5]);
      const head = Object.entries(ana.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const sent = Buffer.from(`GET ${target} HTTP/1.1\r\n${UPGRADE}${head.join('')}\r\n`);
      const answer = await exchange(lab.url, Buffer.concat([sent, frame]));
      expect(answer.split('\r\n', 1)[0], target).not.toContain('101');
    }
    const { status, socket } = await upgrade(lab.url, `/bidi/${id}`, ana.headers);
    expect(status).toBe(101);
    await close(socket);
    await goesOn();
  });
});
