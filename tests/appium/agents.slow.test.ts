import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { calling, RawAgent } from '../conformance/support/agent.ts';
import { World } from '../conformance/support/world.ts';
import { startLab } from '../support/lab.ts';

const preload = fileURLToPath(new URL('clock-on-signal.mjs', import.meta.url));
const NOON = Date.UTC(2030, 0, 1, 12);
const MINUTE = 60_000;
/** Environment of a lab whose clock starts at `time`. */
const labAt = (time: number) => ({
  SVC_REQUIRE_COMMAND_AUTH: 'true',
  SVC_REQUIRE_SESSION_TOKEN: 'true',
  SVC_RECORDING: 'all',
  NODE_OPTIONS: `--import=${preload}`,
  TEST_CLOCK: String(time),
});

let world: World;
beforeAll(async () => {
  world = await World.start(startLab, labAt(NOON));
});
afterAll(() => world?.server.stop());

it('an agent drives a phone through a form, and nobody else drives its session (contract 12)', async () => {
  const { as } = await world.person();
  const agent = await RawAgent.of(world, as, ['auto:use', 'svc:devices:read', 'svc:analytics:read']);
  const { devices } = (await agent.call('list_devices')).structuredContent;
  const { sessionId } = (await agent.call('start_session', { udid: devices[0].udid })).structuredContent;
  const source = await agent.call('get_page_source', { sessionId });
  expect(source.content[0]?.text).toContain('content of the device');
  expect(source.content[1]?.text).toMatch(/^<device-content (\w+)>\n[\s\S]*<\/device-content \1>$/);
  const found = await agent.call('find_elements', { sessionId, using: 'id', value: 'search' });
  const [{ elementId }] = found.structuredContent.elements;
  for (const [tool, input] of [
    ['tap', { elementId }],
    ['tap', { x: 0.5, y: 0.5 }],
    ['type_text', { elementId, text: 'milk' }],
    ['swipe', { fromX: 0.5, fromY: 0.8, toX: 0.5, toY: 0.2, durationMs: 100 }],
    ['press_key', { key: 'enter' }],
  ] as const)
    expect(await agent.call(tool, { sessionId, ...input }), tool).not.toHaveProperty('isError');
  const [picture] = (await agent.call('get_screenshot', { sessionId })).content;
  expect(picture).toMatchObject({ type: 'image', mimeType: 'image/png' });
  const half = await agent.call('tap', { sessionId, elementId: '\ud800' });
  expect(half.content[0]?.text).toContain('The command was refused with');
  expect(await agent.call('launch_app', { sessionId, appId: 'a.b' })).toMatchObject({ isError: true });
  const log = await agent.call('get_session_log', { sessionId, limit: 2 });
  expect(log.content[1]?.text).toContain('mobile: activateApp');

  const admins = await RawAgent.of(world, world.root.as, ['auto:use']);
  expect(await admins.call('get_screenshot', { sessionId })).toMatchObject({ isError: true });
  const { items } = await world.ok('GET', '/audit?event=session_created', { as: world.root.as });
  expect(items[0]).toMatchObject({ via: 'mcp', target: sessionId });
  expect(await agent.call('end_session', { sessionId })).not.toHaveProperty('isError');
  expect(await agent.call('get_screenshot', { sessionId })).toMatchObject({ isError: true });
});

it('an agent looks at the recording of its session, and at no other (contract 12)', async () => {
  const { as } = await world.person();
  const agent = await RawAgent.of(world, as, ['auto:use', 'svc:recordings']);
  const { sessionId } = (await agent.call('start_session')).structuredContent;
  const recording = () => world.ok('GET', `/session/${sessionId}/recording`, { as });
  await expect.poll(async () => (await recording()).pictures).toBeGreaterThan(0);
  const { from: at } = (await recording()).chunks[0];
  const path = `/session/${sessionId}/recording/picture?at=${at}`;
  const shown = await world.server.api(path, { headers: agent.as });
  const { content } = await agent.call('get_recording_picture', { sessionId, at });
  expect(content.at(-1)).toEqual({
    type: 'image',
    mimeType: shown.headers.get('content-type'),
    data: Buffer.from(await shown.arrayBuffer()).toString('base64'),
  });
  for (const wrong of [{ at: 'now' }, { at: '2020-01-01T00:00:00.000Z' }, { sessionId: 'nobody' }])
    expect(await agent.call('get_recording_picture', { sessionId, at, ...wrong })).toMatchObject({
      isError: true,
    });
  const other = await RawAgent.of(world, (await world.person()).as, ['svc:recordings']);
  expect(await other.call('get_recording_picture', { sessionId, at })).toMatchObject({ isError: true });
  expect(await agent.call('end_session', { sessionId })).not.toHaveProperty('isError');
  const admins = await RawAgent.of(world, world.root.as, ['svc:recordings']);
  expect(await admins.call('get_recording_picture', { sessionId, at })).not.toHaveProperty('isError');
  const { items } = await world.ok('GET', '/audit?event=recording_viewed', { as: world.root.as });
  expect(items).toMatchObject([{ actorEmail: world.root.email, target: sessionId }]);
});

it('credentials in capabilities are refused, and a driver that does not start is a result (contract 12)', async () => {
  const agent = await RawAgent.of(world, world.root.as, ['auto:use']);
  const pair = await world.pair(world.root.as);
  const options = { accessKey: pair.accessKey, token: pair.token };
  for (const capabilities of [
    { 'svc:options': options },
    { alwaysMatch: {}, firstMatch: [{ 'lab:options': options }] },
  ])
    expect(await agent.call('start_session', { capabilities })).toMatchObject({ isError: true });
  const capabilities = { platformName: 'Fake', 'appium:automationName': 'Nothing' };
  expect(await agent.call('start_session', { capabilities })).toMatchObject({ isError: true });
  const busy = await agent.call('start_session', { udid: 'no-such-phone' });
  expect(busy.content[0]?.text).toContain('session not created');
});

it('a token with limits runs so many sessions at once, however they are started (contract 12)', async () => {
  const person = await world.person();
  const json = { audience: 'svc-mcp', scopes: ['auto:use'], limits: { sessions: 1, minutes: 30 } };
  const { token, sessionToken } = await world.ok('POST', '/auth/token', { as: person.as, json });
  const agent = new RawAgent(world.url, { authorization: `Bearer ${token}` });
  const { sessionId } = (await agent.call('start_session')).structuredContent;
  const second = await agent.call('start_session');
  expect([second.isError, second.content[1]?.text]).toEqual([true, expect.stringContaining('limit_reached')]);
  const options = { 'svc:options': { sessionToken } };
  const create = await fetch(`${world.url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ capabilities: { alwaysMatch: { platformName: 'Fake', ...options } } }),
  });
  const { value } = (await create.json()) as { value: unknown };
  expect([create.status, value]).toEqual([
    500,
    {
      error: 'session not created',
      message: expect.stringMatching(/limit_reached: .*1 session at once/),
      stacktrace: '',
    },
  ]);
  const [shown] = await world.ok('GET', '/agents', { as: person.as });
  expect(shown).toMatchObject({ limits: { sessions: 1, minutes: 30 }, minutesToday: 0 });
  await agent.call('end_session', { sessionId });
  const again = (await agent.call('start_session')).structuredContent.sessionId;
  await agent.call('end_session', { sessionId: again });
});

it('an agent that is stopped is refused, and its session ends (contract 12)', async () => {
  const person = await world.person();
  const { token, sessionToken } = await world.ok('POST', '/auth/token', {
    as: person.as,
    json: { audience: 'svc-mcp' },
  });
  const agent = new RawAgent(world.url, { authorization: `Bearer ${token}` });
  const { sessionId } = (await agent.call('start_session')).structuredContent;
  const [listed] = await world.ok('GET', '/agents', { as: person.as });
  expect(listed).toMatchObject({
    owner: { id: person.id },
    lastTool: 'start_session',
    sessions: [{ id: sessionId }],
  });
  const stranger = await world.person();
  expect(await world.ok('GET', '/agents', { as: stranger.as })).toEqual([]);
  const refused = await world.api('DELETE', `/agents/${listed.id}`, { as: stranger.as });
  expect(refused.status).toBe(404);

  await world.ok('DELETE', `/agents/${listed.id}`, { as: person.as });
  expect((await agent.send(calling('list_devices'))).status).toBe(401);
  const session = await world.ok('GET', `/session/${sessionId}`, { as: person.as });
  expect(session.endedAt).not.toBeNull();
  const create = await fetch(`${world.url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      capabilities: { alwaysMatch: { platformName: 'Fake', 'svc:options': { sessionToken } } },
    }),
  });
  expect(create.status).toBe(400);
});

it('a Super admin stops every agent, and a session ends with its token (contract 12)', async () => {
  const agent = await RawAgent.of(world, world.root.as, ['auto:use']);
  const { sessionId } = (await agent.call('start_session')).structuredContent;
  const member = await world.person();
  expect((await world.api('DELETE', '/agents', { as: member.as })).status).toBe(403);
  await world.ok('DELETE', '/agents', { as: world.root.as });
  expect((await agent.send(calling('get_screenshot', { sessionId }))).status).toBe(401);
  expect(await world.ok('GET', '/agents', { as: world.root.as })).toEqual([]);

  const theirs = await RawAgent.of(world, member.as, ['auto:use']);
  const other = (await theirs.call('start_session')).structuredContent.sessionId;
  const update = { as: world.root.as, json: { status: 'Inactive' } };
  await world.ok('PATCH', `/users/${member.id}`, update);
  await expect
    .poll(async () => (await world.ok('GET', `/session/${other}`, { as: world.root.as })).endedAt)
    .not.toBeNull();
});

it('a session ends when the minutes are used up, and SIGKILL does not reset the minutes (contract 12)', async () => {
  const { as } = await world.person();
  const withMinutes = async (minutes: number) => {
    const json = { audience: 'svc-mcp', limits: { minutes } };
    return new RawAgent(world.url, await world.bearer(as, json));
  };
  const start = async (agent: RawAgent) => (await agent.call('start_session')).structuredContent.sessionId;
  const recordOf = (id: string) => world.ok('GET', `/session/${id}`, { as });
  const [short, long] = [await withMinutes(1), await withMinutes(5)];
  const [ended, open] = [await start(short), await start(long)];

  world.server.child.kill('SIGUSR2');
  await expect.poll(async () => (await recordOf(ended)).endedAt).not.toBeNull();
  const used =
    'limit_reached: the token of this agent allows 1 minute of sessions a day, and they are used up';
  expect(await recordOf(ended)).toMatchObject({ status: 'ended', failureReason: used });
  expect(await short.call('get_screenshot', { sessionId: ended })).toMatchObject({ isError: true });
  expect(await recordOf(open)).toMatchObject({ status: 'running', endedAt: null });
  expect(await long.call('get_screenshot', { sessionId: open })).not.toHaveProperty('isError');

  await world.server.stop('SIGKILL');
  const { dataDir } = world.server;
  world = world.movedTo(await startLab({ env: labAt(NOON + 10 * MINUTE), dataDir }));
  expect((await recordOf(open)).endedAt).not.toBeNull();
  for (const agent of [short, long]) {
    const refused = await new RawAgent(world.url, agent.as).call('start_session');
    expect([refused.isError, refused.content[1]?.text]).toEqual([
      true,
      expect.stringMatching(/limit_reached: .* minutes? of sessions a day, and they are used up/),
    ]);
  }
});
