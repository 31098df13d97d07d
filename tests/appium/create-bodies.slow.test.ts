import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startLab } from '../support/lab.ts';
import { type RawRequest, type RawResponse, rawRequest } from '../support/raw-http.ts';

const SECRET = 'canary-of-a-body';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const HUGE = `{"x":"${'y'.repeat(512 * 1024)}"}`;

const chunked = (body: string): RawRequest => ({
  headers: { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' },
  body: `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
});

describe('bodies of creates and of what looks like one', () => {
  let lab: RunningServer;

  beforeAll(async () => {
    lab = await startLab({ env: { SVC_LAB_LOG_LEVEL: 'debug' } });
  });
  afterAll(() => lab?.stop());

  const send = (target: string, sent: RawRequest) =>
    rawRequest(lab.url, target, { method: 'POST', headers: JSON_TYPE, ...sent });
  const messageOf = ({ body }: RawResponse): string => JSON.parse(body).value.message;

  it.each(['/session', '/wd/hub/session', '//session'])(
    '%s: what is over 512 KiB is answered 413 and its connection closed (contract 5)',
    async (target) => {
      const { status, headers, body } = await send(target, { body: HUGE });
      expect({ status, error: JSON.parse(body).value.error }).toEqual({
        status: 413,
        error: 'invalid argument',
      });
      expect(headers).toContainEqual(['Connection', 'close']);
    },
  );

  it('413 closes the connection of a client that would keep it (contract 5)', async () => {
    const answer = await send('/session', {
      headers: { ...JSON_TYPE, Connection: 'keep-alive' },
      body: HUGE,
    });
    expect(answer.status).toBe(413);
    expect(answer.headers).toContainEqual(['Connection', 'close']);
  });

  it('bytes that are no UTF-8 are refused inside a string as well (contract 6)', async () => {
    const [before, after] = ['{"capabilities":{"alwaysMatch":{"appium:note":"', '"}}}'];
    const body = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
    const answer = await send('/session', { body });
    expect({ status: answer.status, message: messageOf(answer) }).toEqual({
      status: 400,
      message: 'the body is not valid JSON',
    });
  });

  it.each([
    SECRET,
    `{"token": ${SECRET}}`,
    `{'token': '${SECRET}'}`,
    `{"token":"x"}${SECRET}`,
    `["${SECRET}"]`,
    `"${SECRET}"`,
  ])('the answer to %j does not quote it, nor does the log (contract 6.3)', async (body) => {
    const answer = await send('/session', { body });
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toMatch(/^the body is not (?:valid JSON|a JSON object)$/);
    expect(answer.body).not.toMatch(/canary|body-/);
    expect(lab.output()).not.toContain('canary');
  });

  describe('what leads nowhere is logged without its body (spec 5.5, contract 6.3)', () => {
    const body = JSON.stringify({ note: SECRET });
    it.each<[string, string, RawRequest]>([
      ['PUT', '/session', { body }],
      ['PUT, chunked', '/session?chunked', chunked(body)],
      ['PATCH, chunked', '/sessions', chunked(body)],
      ['POST, chunked', '/wd/hub/session', chunked(body)],
      ['POST', '/nowhere', { body }],
      ['POST, chunked', '/nowhere?chunked', chunked(body)],
    ])('%s %s', async (name, target, sent) => {
      const method = name.split(',', 1)[0] as string;
      const answer = await send(target, { method, ...sent });
      expect(answer.status).toBe(404);
      await lab.line(new RegExp(`--> ${method} ${target.replace('?', '\\?')} \\*\\*SECURE\\*\\*`));
      expect(lab.output()).not.toContain(SECRET);
    });
  });

  it.each(['true', '1', 'yes', 'a, true'])(
    'marked sensitive by %j, a body is not logged (spec 5.5.1, contract 1)',
    async (value) => {
      for (const name of ['X-Auto-Is-Sensitive', 'X-Appium-Is-Sensitive']) {
        const note = `hidden by ${name} ${value}`;
        const headers = { ...JSON_TYPE, [name]: value };
        const body = JSON.stringify({ note });
        expect((await send('/session/nobody/url', { headers, body })).status).toBe(404);
        expect(lab.output()).not.toContain(note);
      }
      const body = JSON.stringify({ note: `shown beside ${value}` });
      expect((await send('/session/nobody/url', { body })).status).toBe(404);
      await lab.line(new RegExp(`shown beside ${value}`));
    },
  );
});
