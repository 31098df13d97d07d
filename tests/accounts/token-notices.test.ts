import { describe, expect, it } from 'vitest';
import { ADMIN, makeUser, openService, type Service } from './support/service.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

const lifeOf = (service: Service, days: number) => new Date(service.clock.now() + days * DAY).toISOString();

/** Creates a Profile token of the caller that expires after `days`, or never if `days` is null. */
async function makeToken(service: Service, cookie: string, name: string, days: number | null) {
  const expiresAt = days === null ? null : lifeOf(service, days);
  const answer = await service.ask('/profile/tokens', { cookie, json: { name, expiresAt } });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

describe('a token that ends soon', () => {
  it('a token that ends soon is named in one mail per step, without its value, also across restarts (contract 10.6)', async () => {
    const first = await openService({ SVC_PUBLIC_URL: 'https://lab.example.com' }, { mails: true });
    const cookie = await first.signIn();
    const { token } = await makeToken(first, cookie, 'nightly <b>Zürich</b>', 40);
    await makeToken(first, cookie, 'endless', null);
    first.clock.advance(10 * DAY);
    const mail = await first.nextMail();
    expect(mail).toMatchObject({ to: ADMIN.email, subject: 'Token "nightly <b>Zürich</b>" ends in 30 days' });
    expect(mail.text).toContain('nightly <b>Zürich</b>');
    expect(mail.text).toContain('ends in 30 days, at 2026-07-11 00:00 UTC');
    expect(mail.text).toContain('https://lab.example.com/svc/profile');
    expect(mail.html).toContain('nightly &#60;b&#62;Z');
    for (const part of [mail.text, mail.html, mail.subject]) {
      expect(part).not.toContain(token);
      expect(part).not.toContain('endless');
    }
    const { dataDir } = first;
    expect(first.mails()).toBe(1);
    await first.close();

    const second = await openService({ SVC_DATA_DIR: dataDir }, { mails: true });
    second.clock.advance(39 * DAY);
    const later = await second.nextMail();
    expect(later.subject).toBe('Token "nightly <b>Zürich</b>" ends in 1 day');
    expect(later.text).not.toContain('http');
    await second.close();
    expect(second.mails()).toBe(1);
  });

  it('a token that ends soon is told to its owner and Admins as a live event, with its kind and step (contract 10.6)', async () => {
    const service = await openService();
    const cookie = await service.signIn();
    const seen: unknown[] = [];
    const told = new Promise<void>((done) => {
      service.services.modules.lab.offers.lab.events.subscribe((event) => {
        seen.push(event);
        done();
      });
    });
    const expiresAt = lifeOf(service, 8);
    const made = await service.ask('/apikeys', { cookie, json: { name: 'ci', scopes: ['read'], expiresAt } });
    const { id: owner } = (await service.ask('/auth/me', { cookie })).body;
    service.clock.advance(DAY);
    await told;
    expect(seen).toEqual([
      {
        type: 'token_expiring',
        at: service.clock.now(),
        payload: {
          ...{ id: made.body.id, name: 'ci', kind: 'api-key', expiresAt, days: 7 },
          owner: { id: owner, email: ADMIN.email },
        },
        audience: { kind: 'account', id: owner },
      },
    ]);
    await service.close();
  });

  it('a token that ends soon shares a mail with the other tokens of its owner, and only with those', async () => {
    const service = await openService({}, { mails: true });
    const cookie = await service.signIn();
    const user = await makeUser(service, cookie, { email: 'ann@lab.test' });
    const own = await service.signIn(user.email, user.password);
    for (const name of ['one', 'two']) await makeToken(service, cookie, name, 8);
    await makeToken(service, own, 'three', 8);
    service.clock.advance(DAY);
    const mails = [await service.nextMail(), await service.nextMail()];
    const toAdmin = mails.find(({ to }) => to === ADMIN.email);
    const toAnn = mails.find(({ to }) => to === user.email);
    expect(toAdmin?.subject).toBe('2 tokens of yours end soon');
    expect(toAdmin?.text).toMatch(/"one" .*\n.*"two" /);
    expect(toAdmin?.text).not.toContain('three');
    expect(toAnn?.subject).toBe('Token "three" ends in 7 days');
    await service.close();
  });
});

it('the list of tokens shows since when a key or token is unused, after 90 days (contract 10.6)', async () => {
  const service = await openService();
  const cookie = await service.signIn();
  const madeAt = new Date(service.clock.now()).toISOString();
  const { id, token } = await makeToken(service, cookie, 'old', null);
  const both = async () => {
    const as = { cookie: await service.signIn() };
    const [own, all] = [await service.ask('/profile/tokens', as), await service.ask('/apikeys', as)];
    return [own, all].map(({ body }) => body.find((each: { id: string }) => each.id === id).unusedSince);
  };
  expect(await both()).toEqual([null, null]);
  service.clock.advance(90 * DAY - 1);
  expect(await both()).toEqual([null, null]);
  service.clock.advance(1);
  expect(await both()).toEqual([madeAt, madeAt]);
  const { accessKey } = (await service.ask('/auth/me', { cookie: await service.signIn() })).body;
  const headers = { 'x-svc-access-key': accessKey, 'x-svc-token': token };
  expect((await service.ask('/auth/me', { headers })).status).toBe(200);
  expect(await both()).toEqual([null, null]);
  await service.close();
});
