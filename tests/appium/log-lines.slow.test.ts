import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type WebSocket from 'ws';
import { startAppium } from '../support/appium.ts';
import type { RunningServer } from '../support/lab.ts';
import { rawRequest } from '../support/raw-http.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { close, upgrade } from '../support/web-socket.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a log.
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const FORGED = '[svc] forged';
/** Contains all characters that begin a line, move the cursor back in a line, or change what a terminal shows. */
const HOSTILE = `x\n${FORGED}\r\n${FORGED}\r${FORGED}\u001b[2K\u001b[1G${FORGED}\u009b31m\u0085\u2028${FORGED}\u202e\u007f\t\b`;

describe.each([
  ['text', []],
  ['json', ['--log-format', 'json']],
])('a log in the format %s', (format, args) => {
  let lab: RunningServer;
  let ana: Person;

  beforeAll(async () => {
    const all = ['--log-level', 'debug', ...args];
    lab = await startAppium({ env: { SVC_REQUIRE_COMMAND_AUTH: 'true' }, args: all });
    ana = await makePerson(lab, await superAdmin(lab), 'ana@example.test');
  });
  afterAll(() => lab?.stop());

  /** Waits for a line, then checks every line of the output. */
  async function expectLinesAfter(pattern: RegExp): Promise<string> {
    const line = await lab.line(pattern);
    for (const each of lab.output().split('\n')) {
      expect(each).not.toMatch(UNSAFE);
      expect(each.startsWith(FORGED), each).toBe(false);
      if (format === 'json' && each.startsWith('{')) expect(() => JSON.parse(each)).not.toThrow();
    }
    return line;
  }

  const send = async (socket: WebSocket, message: object | string) => {
    const answered = new Promise((done) => socket.once('message', done));
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    await answered;
  };

  it('a log has one line for a BiDi message, whatever its id, method and parameters are (contract 7)', async () => {
    const id = (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
    for (const path of ['/bidi', `/bidi/${id}`]) {
      const { socket } = await upgrade(lab.url, path, ana.headers);
      await send(socket as WebSocket, { id: `${path} ${HOSTILE}`, method: 'session.status', params: {} });
      await send(socket as WebSocket, { id: 1, method: HOSTILE, params: { a: HOSTILE } });
      await send(socket as WebSocket, { id: HOSTILE, method: `session.${HOSTILE}`, params: {} });
      await send(socket as WebSocket, `{"id": 2, "method": "\u009b31m ${FORGED}`);
      await close(socket);
      const line = await expectLinesAfter(new RegExp(`<-- BIDI message #${path} x`));
      expect(line).toContain('\\u000a[svc] forged');
      expect(line).toContain('\\u001b[2K');
    }
  });

  it('a log has one line for a create, whatever its capabilities are (contract 7)', async () => {
    const capabilities = { [`appium:${HOSTILE}`]: 1, 'appium:language': HOSTILE, 'appium:sent': 'twice' };
    const made = await createSession(lab.url, pairOf(ana), { capabilities });
    const refused = await createSession(lab.url, pairOf(ana), { capabilities: { platformName: HOSTILE } });
    expect([made.status, refused.status]).toEqual([200, 500]);
    expect(await expectLinesAfter(/--> POST \/session .*appium:sent/)).toContain('\\u009b31m');
  });

  it('a log has one line for a path, a query and a header, whatever they are (contract 7)', async () => {
    const encoded = encodeURIComponent(HOSTILE);
    await rawRequest(lab.url, `/session/${encoded}/url?${encoded}`);
    await rawRequest(lab.url, `/unknown/${encoded}?${encoded}`);
    await rawRequest(lab.url, `/svc/api/devices/${encoded}?ticket=${encoded}`);
    await rawRequest(lab.url, '/status', {
      headers: { 'X-Request-Id': 'a\u009b31m', 'X-Svc-Token': '\u009b' },
    });
    await rawRequest(lab.url, '/status?last');
    await expectLinesAfter(/<-- GET \/status\?last/);
  });

  it('a log keeps the stack trace of an error readable', async () => {
    const id = (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
    const body = JSON.stringify({ using: HOSTILE, value: HOSTILE });
    const headers = { ...ana.headers, 'Content-Type': 'application/json' };
    const { status } = await rawRequest(lab.url, `/session/${id}/element`, { method: 'POST', headers, body });
    expect(status).toBeGreaterThanOrEqual(400);
    await expectLinesAfter(format === 'json' ? /\\n {4}at .*\d+:\d+\)/ : /^ {4}at .*\d+:\d+\)$/);
  });
});
