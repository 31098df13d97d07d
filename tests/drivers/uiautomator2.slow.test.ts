import { get } from 'node:http';
import { ANDROID_12, ANDROID_14 } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { request } from '../support/lab.ts';
import { endOf, recordOf, until } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { upgrade } from '../support/web-socket.ts';
import { type PhoneLab, startPhoneLab } from './support/phone-lab.ts';

let lab: PhoneLab;
let ana: Person;

beforeAll(async () => {
  lab = await startPhoneLab({ phones: [ANDROID_12, ANDROID_14] });
  ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
});
afterAll(() => lab?.stop());

const START_MS = 30_000;

async function start(udid: string) {
  const { status, body } = await createSession(lab.url, pairOf(ana), {
    capabilities: { ...lab.capabilities, 'appium:udid': udid },
  });
  expect({ status, ...body }).toMatchObject({ status: 200 });
  const { sessionId } = body.value;
  const command = async (method: string, path: string, json?: unknown) => {
    const url = `${lab.url}/session/${sessionId}${path}`;
    const answer = await request(url, { method, ...(json === undefined ? {} : { json }) });
    return ((await answer.json()) as { value: unknown }).value;
  };
  return { id: sessionId, value: body.value, command, end: () => command('DELETE', '') };
}

const ticketOf = async (udid: string) => {
  const init = { method: 'POST', headers: { cookie: ana.cookie } };
  const answer = await lab.api(`/control/${udid}/stream/ticket`, init);
  return ((await answer.json()) as { ticket: string }).ticket;
};

describe('a session of the UiAutomator2 driver', () => {
  it(
    'runs commands on the phone that it asked for, and frees the phone at its end (spec 6.1)',
    async () => {
      const { serial } = ANDROID_12;
      const session = await start(serial);
      expect(session.value.capabilities).toMatchObject({ deviceUDID: serial, platformVersion: '12' });
      const found = await session.command('POST', '/element', { using: 'id', value: 'com.example:id/field' });
      const field = `/element/${Object.values(found as object)[0]}`;
      await session.command('POST', `${field}/value`, { text: 'typed on Android 12' });
      expect(await session.command('GET', `${field}/text`)).toBe('typed on Android 12');
      expect(lab.phones.phone(serial).typed).toEqual(['typed on Android 12']);
      expect(lab.phones.phone(ANDROID_14.serial).typed).toEqual([]);
      expect(await session.command('GET', '/source')).toContain(`${serial}, Android 12`);
      expect(await recordOf(lab, ana.headers, session.id)).toMatchObject({ device: { udid: serial } });

      expect(await session.end()).toBeNull();
      expect(await endOf(lab, ana.headers, session.id)).toMatchObject({ failureCategory: null });
      expect(lab.phones.adb.forwards()).toBe('');
      expect(lab.phones.phone(serial).unknown).toEqual([]);
    },
    START_MS,
  );

  it(
    'leaves the preview and the device log of its phone open (contract 2 /control)',
    async () => {
      const { serial } = ANDROID_14;
      const session = await start(serial);
      await shows(`${lab.url}/svc/api/control/${serial}/stream?ticket=${await ticketOf(serial)}`, /PNG|JFIF/);

      const target = `/svc/api/control/${serial}/logs?ticket=${await ticketOf(serial)}`;
      const { status, socket } = await upgrade(lab.url, target);
      expect(status).toBe(101);
      let lines = '';
      socket?.on('message', (text: Buffer) => {
        lines += text;
      });
      lab.phones.phone(serial).log('E', 'Notes', 'the total is missing');
      await until(
        async () => lines,
        (text) => text.includes('the total is missing'),
      );
      socket?.close();
      await session.end();
    },
    START_MS,
  );
});

/** Resolves when the stream has sent the text. */
function shows(url: string, wanted: RegExp): Promise<void> {
  return new Promise((seen, failed) => {
    let text = '';
    const asked = get(url, { agent: false }, (response) => {
      response.setEncoding('latin1').on('data', (bytes: string) => {
        text += bytes;
        if (!wanted.test(text)) return;
        asked.destroy();
        seen();
      });
      response.once('close', () => failed(new Error(`the stream ended after: ${text.slice(0, 200)}`)));
    });
    asked.once('error', failed);
  });
}
