import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAppium } from '../support/appium.ts';
import { makeToken, request } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

let lab: Awaited<ReturnType<typeof startAppium>>;
let admin: string;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  lab = await startAppium({
    env: { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true' },
  });
  admin = await superAdmin(lab);
  ana = await makePerson(lab, admin, 'ana@example.org');
  bob = await makePerson(lab, admin, 'bob@example.org');
});
afterAll(() => lab?.stop());

type Row = Readonly<Record<'event' | 'actor' | 'target' | 'address' | 'requestId' | 'reason', string | null>>;

async function rowsOf(requestId: string): Promise<Row[]> {
  const answer = await lab.api('/audit?limit=200', { headers: { cookie: admin } });
  const { items } = (await answer.json()) as { items: Row[] };
  return items.filter((row) => row.requestId === requestId);
}

async function explain(requestId: string) {
  const answer = await lab.api(`/explain/${requestId}`, { headers: { cookie: admin } });
  return (await answer.json()) as Record<string, unknown>;
}

const create = (options: object | undefined, id: string, capabilities = {}) =>
  createSession(lab.url, options as never, { headers: { 'x-request-id': id }, capabilities });

describe('a refused create (contract 7)', () => {
  const wrongToken = () => ({ accessKey: ana.accessKey, token: bob.token });

  it.each([
    ['without credentials', () => undefined, 'no credentials', 'None were sent.'],
    ['with half a pair', () => ({ accessKey: ana.accessKey }), 'no credentials', 'None were sent.'],
    [
      'with the token of somebody else',
      wrongToken,
      /^accessKey and token: /,
      'Those sent were not accepted.',
    ],
    ['with a bad session token', () => ({ sessionToken: 'a.b.c' }), /^sessionToken: /, 'Those sent were not'],
  ])('%s is explained to everybody it concerns', async (name, options, reason, message) => {
    const id = `create-${name.replaceAll(' ', '-')}`;
    const { status, body } = await create(options(), id);
    expect(status).toBe(400);
    expect(body.value.message).toMatch(/^session rejected: /);
    expect(body.value.message).toContain(message);
    expect(body.value.message).toContain(id);
    await lab.line(new RegExp(`Session create refused: .*"request":"${id}"`));
    const expected = typeof reason === 'string' ? reason : expect.stringMatching(reason);
    expect(await explain(id)).toEqual({
      requestId: id,
      at: expect.any(String),
      kind: 'create',
      method: 'POST',
      path: '/session',
      status: 400,
      error: 'invalid argument',
      reason: expected,
      caller: null,
      address: '127.0.0.1',
      sessionId: null,
    });
  });

  it('a create refused for a missing scope has the specification’s message, and a row of its caller (contract 7)', async () => {
    const made = await lab.api('/profile/tokens', {
      method: 'POST',
      headers: { cookie: ana.cookie },
      json: { name: 'reader', scopes: ['read'] },
    });
    const { token } = (await made.json()) as { token: string };
    const { status, body } = await create({ accessKey: ana.accessKey, token }, 'no-scope');
    expect({ status, message: body.value.message }).toEqual({
      status: 400,
      message: 'credentials are invalid, revoked, or lack the sessions scope',
    });
    expect(await rowsOf('no-scope')).toContainEqual(
      expect.objectContaining({
        event: 'authz_fail',
        actor: ana.userId,
        address: '127.0.0.1',
        reason: 'the credential lacks the sessions scope',
      }),
    );
    expect(await explain('no-scope')).toMatchObject({ caller: ana.userId });
  });

  it('a create refused by the lab and answered by Appium carries the request id and is explained too (contract 7)', async () => {
    const answer = await request(`${lab.url}/session`, {
      method: 'POST',
      headers: { 'x-request-id': 'no-phone' },
      json: {
        capabilities: {
          alwaysMatch: { platformName: 'Fake', 'appium:udid': 'no-such', 'svc:options': pairOf(ana) },
        },
      },
    });
    expect(answer.ok).toBe(false);
    expect(answer.headers.get('x-request-id')).toBe('no-phone');
    const { value } = (await answer.json()) as { value: { message: string } };
    expect(await explain('no-phone')).toMatchObject({
      kind: 'create',
      caller: ana.userId,
      // The explanation also says for each phone why it does not fit (contract 14.4).
      reason: expect.stringContaining(`${value.message}. virtual-1: appium:udid no-such`),
    });
    expect(await rowsOf('no-phone')).toContainEqual(
      expect.objectContaining({ event: 'session_create_fail', actor: ana.userId, reason: value.message }),
    );
  });
});

describe('WebDriver use is in the trail (contract 2, audit)', () => {
  it('a create, the first command of each credential, and refusals, but not every command', async () => {
    const made = await create(pairOf(ana), 'made');
    const id = made.body.value.sessionId;
    expect(await rowsOf('made')).toContainEqual(
      expect.objectContaining({
        event: 'session_created',
        actor: ana.userId,
        target: id,
        address: '127.0.0.1',
        reason: expect.stringMatching(/^key /),
      }),
    );
    const drive = (headers: Record<string, string>, requestId: string) =>
      request(`${lab.url}/session/${id}/timeouts`, { headers: { ...headers, 'x-request-id': requestId } });
    expect((await drive(ana.headers, 'first')).status).toBe(200);
    expect((await drive(ana.headers, 'second')).status).toBe(200);
    const used = { event: 'session_first_command', target: id, address: '127.0.0.1' };
    expect(await rowsOf('first')).toContainEqual(
      expect.objectContaining({ ...used, actor: ana.userId, reason: expect.stringMatching(/^key /) }),
    );
    expect(await rowsOf('second')).toEqual([]);
    const root = await makeToken(lab.url, admin);
    expect((await drive(root.headers, 'by-admin')).status).toBe(200);
    expect(await rowsOf('by-admin')).toContainEqual(expect.objectContaining(used));

    expect((await drive(bob.headers, 'foreign')).status).toBe(404);
    expect(await rowsOf('foreign')).toContainEqual(
      expect.objectContaining({ event: 'authz_fail', actor: bob.userId, target: id, address: '127.0.0.1' }),
    );
    expect((await drive({}, 'stranger')).status).toBe(404);
    expect(await rowsOf('stranger')).toMatchObject([{ event: 'authn_credential_fail', actor: null }]);
    for (let count = 0; count < 20; count++) await drive({}, `flood-${count}`);
    expect(await rowsOf('flood-19')).toEqual([]);
  });
});
