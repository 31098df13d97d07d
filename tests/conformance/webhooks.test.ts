import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReceiver } from '../support/receiver.ts';
import { expectError } from './support/errors.ts';
import { type Person, targets, World } from './support/world.ts';

describe.each(targets)('webhooks on $name', ({ start }) => {
  let world: World;
  let admin: Person;

  beforeAll(async () => {
    world = await World.start(start, { SVC_WEBHOOK_ALLOW: 'localhost, 127.0.0.7' });
    admin = await world.person('Admin');
  });
  afterAll(() => world.server.stop());

  const create = (json: object, as = admin.as) => world.api('POST', '/webhook', { as, json });
  const list = async () => (await world.api('GET', '/webhook', { as: admin.as })).body;
  const usable = { url: 'http://192.0.2.1/hooks/s3cret?x=1', events: ['session_failed'] };

  it('one is made with its secret, listed without, and removed (contract 2)', async () => {
    const made = await create({ url: usable.url, events: ['device_new', 'session_failed', 'device_new'] });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      url: usable.url,
      events: ['device_new', 'session_failed'],
      format: 'svc',
      teamId: null,
      tag: null,
      paused: false,
      createdAt: expect.stringMatching(/Z$/),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret, ...rest } = made.body;
    expect(await list()).toEqual([{ ...rest, lastDelivery: null, pending: 0 }]);
    const removed = await world.api('DELETE', `/webhook/${rest.id}`, { as: world.root.as });
    expect(removed.status).toBe(204);
    expect(await list()).toEqual([]);
    expectError(await world.api('DELETE', `/webhook/${rest.id}`, { as: admin.as }), 'not_found');
    const { items } = (await world.api('GET', '/audit?limit=20', { as: admin.as })).body;
    const rows = items.filter(({ target }: { target: string }) => target === rest.id);
    expect(rows.map(({ event, actor }: { event: string; actor: string }) => [event, actor])).toEqual([
      ['webhook_deleted', world.root.id],
      ['webhook_created', admin.id],
    ]);
    expect(JSON.stringify(rows)).not.toContain('s3cret');
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it.each([
    ...[
      'ftp://lab.test/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'hooks',
      '',
      'http://',
      '//lab.test/',
    ],
    ...['http://user@lab.test/', 'http://user:word@lab.test/', `http://lab.test/${'x'.repeat(2_048)}`],
    ...['http://127.0.0.1/', 'http://2130706433/', 'http://[::1]:80/', 'http://[::ffff:127.0.0.1]/'],
    ...['http://169.254.169.254/latest/', 'http://[fd00:ec2::254]/', 'http://0.0.0.0/', 'http://0x7f.1/'],
  ])('%s is no address for a webhook (contract 2)', async (url) => {
    expectError(await create({ ...usable, url }), 'invalid_url');
    expectError(await world.api('POST', '/webhook/test', { as: admin.as, json: { url } }), 'invalid_url');
  });

  it.each(['http://localhost:9/', 'http://127.0.0.7/', 'https://hooks.invalid/'])(
    '%s is one: allowed by SVC_WEBHOOK_ALLOW, or not known yet',
    async (url) => {
      const { status, body } = await create({ ...usable, url });
      expect(status).toBe(201);
      await world.api('DELETE', `/webhook/${body.id}`, { as: admin.as });
    },
  );

  it.each([
    [{ ...usable, events: ['session_started'] }, 'events'],
    [{ ...usable, events: [] }, 'events'],
    [{ ...usable, events: 'session_failed' }, 'events'],
    [{ url: usable.url }, 'events'],
    [{ events: usable.events }, 'url'],
    [{ ...usable, url: 7 }, 'url'],
    [{ ...usable, secret: 'mine' }, 'secret'],
    [{ ...usable, format: 'discord' }, 'format'],
    [{ ...usable, tag: ' ' }, 'tag'],
    [{ ...usable, tag: 'x'.repeat(65) }, 'tag'],
    [{ ...usable, teamId: 7 }, 'teamId'],
  ])('%j is refused, naming %s (contract 1)', async (json, field) => {
    const answer = await create(json);
    expectError(answer, 'bad_request');
    expect(answer.body.message).toContain(field);
    if ('format' in json) expect(answer.body.allowed).toEqual(['svc', 'slack', 'teams']);
  });

  it('a test takes one known webhook or one address (contract 2 /webhook/test)', async () => {
    const test = (json: object) => world.api('POST', '/webhook/test', { as: admin.as, json });
    expectError(await test({ id: 'nobody' }), 'not_found');
    expectError(await test({}), 'bad_request');
    expectError(await test({ id: 'nobody', url: usable.url }), 'bad_request');
    expect((await test({ url: 'http://127.0.0.7:9/' })).body).toEqual({
      delivered: false,
      status: null,
      error: 'no_response',
    });
  });

  it('slack and teams get their own formats, without the secret (contract 2)', async () => {
    const hooks = await startReceiver();
    const url = hooks.url.replace('127.0.0.1', 'localhost');
    const { body: made } = await create({ ...usable, url, format: 'slack' });
    const test = (json: object) => world.api('POST', '/webhook/test', { as: admin.as, json });
    for (const json of [{ id: made.id }, { url, format: 'teams' }, { url }])
      expect((await test(json)).body).toEqual({ delivered: true, status: 204, error: null });
    const [slack, teams, svc] = hooks.received.map(({ json }) => json as object);
    expect(slack).toEqual({ text: 'A test of this webhook', blocks: expect.any(Array) });
    expect(teams).toEqual({ type: 'message', attachments: [expect.any(Object)] });
    expect(svc).toEqual({ event: 'test', payload: expect.any(Object) });
    expect(JSON.stringify(hooks.received)).not.toContain(made.secret.slice(6));
    await hooks.close();
    await world.api('DELETE', `/webhook/${made.id}`, { as: admin.as });
  });

  it('one is changed, paused and resumed by an Admin, with an audit row (contract 2)', async () => {
    const { secret: _, ...made } = (await create(usable)).body;
    const change = (json: object, as = admin.as) => world.api('PATCH', `/webhook/${made.id}`, { as, json });
    const team = (await world.api('POST', '/teams', { as: admin.as, json: { name: 'Checkout' } })).body;
    const wanted = { events: ['queue_long'], format: 'teams', teamId: team.id, paused: true };
    const changed = await change({ ...wanted, tag: ' smoke ' });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ ...made, ...wanted, tag: 'smoke', lastDelivery: null, pending: 0 });
    expect(await list()).toEqual([changed.body]);
    const back = await change({ teamId: null, tag: null, paused: false, url: 'http://192.0.2.9/' });
    expect(back.body).toMatchObject({ teamId: null, tag: null, paused: false, url: 'http://192.0.2.9/' });
    expectError(await change({ teamId: 'nobody' }), 'unknown_team');
    expectError(await change({ url: 'http://127.0.0.1/' }), 'invalid_url');
    expectError(await change({ events: [] }), 'bad_request');
    expectError(await world.api('PATCH', '/webhook/nobody', { as: admin.as, json: {} }), 'not_found');
    expectError(await change({}, (await world.person('Member')).as), 'insufficient_role');
    const { items } = (await world.api('GET', '/audit?limit=20&event=webhook_updated', { as: admin.as }))
      .body;
    expect(items.map(({ reason }: { reason: string }) => reason)).toEqual([
      'resumed; queue_long to 192.0.2.9',
      'paused; queue_long to 192.0.2.1',
    ]);
    const deliveries = `/webhook/${made.id}/deliveries`;
    expect((await world.api('GET', deliveries, { as: admin.as })).body).toEqual([]);
    expectError(await world.api('GET', '/webhook/nobody/deliveries', { as: admin.as }), 'not_found');
    expectError(await world.api('POST', `${deliveries}/nobody/resend`, { as: admin.as }), 'not_found');
    await world.api('DELETE', `/webhook/${made.id}`, { as: admin.as });
  });

  it('webhooks belong to the lab, so one whose maker is gone stays (contract 2)', async () => {
    const maker = await world.person('Admin');
    const { body } = await create(usable, maker.as);
    await world.api('DELETE', `/users/${maker.id}`, { as: world.root.as });
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual([body.id]);
    await world.api('DELETE', `/webhook/${body.id}`, { as: admin.as });
  });

  it('a lab has fifty at most', async () => {
    const made = await Promise.all(Array.from({ length: 52 }, () => create(usable)));
    const refused = made.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(2);
    for (const answer of refused) expectError(answer, 'conflict');
    for (const { id } of await list())
      expect((await world.api('DELETE', `/webhook/${id}`, { as: admin.as })).status).toBe(204);
  });
});
