import { runCommand } from '@svc/client/command';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calling, EVERY_SCOPE, LIST_TOOLS, type McpResponse, RawAgent, sendMcp } from './support/agent.ts';
import { call } from './support/call.ts';
import { type Credentials, targets, World } from './support/world.ts';

const PUBLIC_URL = 'https://lab.example.test';
const METADATA = `resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/svc/mcp"`;

/** Tools by the MCP scope that they need, as listed in contract 12. */
const TOOLS: Readonly<Record<(typeof EVERY_SCOPE)[number], readonly string[]>> = {
  'svc:devices:read': ['list_devices'],
  'svc:devices:lock': ['lease_device', 'release_device'],
  'svc:analytics:read': ['list_sessions', 'get_session', 'get_session_log'],
  'svc:recordings': ['get_recording_picture'],
  'auto:use': [
    'start_session',
    'end_session',
    'get_screenshot',
    'get_page_source',
    'find_elements',
    'tap',
    'type_text',
    'swipe',
    'press_key',
    'launch_app',
  ],
};

const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

describe.each(targets)('agents on $name', ({ start }) => {
  let world: World;
  let agent: RawAgent;
  beforeAll(async () => {
    world = await World.start(start, {
      SVC_PUBLIC_URL: PUBLIC_URL,
      SVC_ALLOWED_ORIGINS: 'https://pages.example.test',
    });
    agent = await RawAgent.of(world, world.root.as);
  });
  afterAll(() => world?.server.stop());

  const challenged = async (headers: Record<string, string>, method = 'POST') => {
    const answer = await sendMcp(world.url, LIST_TOOLS, headers, method);
    return { status: answer.status, challenge: answer.headers.get('www-authenticate') };
  };

  it('a request without a bearer is challenged, whatever else it carries (contract 12)', async () => {
    const pair = await world.pair(world.root.as);
    const plain = { status: 401, challenge: `Bearer ${METADATA}` };
    expect(await challenged({})).toEqual(plain);
    expect(await challenged(pair.as)).toEqual(plain);
    expect(await challenged(world.root.as)).toEqual(plain);
    expect(await challenged({}, 'GET')).toEqual(plain);
    const inQuery = await fetch(`${world.url}/svc/mcp?access_token=${agent.as.authorization?.slice(7)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(LIST_TOOLS),
    });
    expect(inQuery.status).toBe(401);
  });

  it('a bad bearer, and one of another audience, get invalid_token (contract 12)', async () => {
    const refused = { status: 401, challenge: `Bearer ${METADATA}, error="invalid_token"` };
    const rest = await world.bearer(world.root.as);
    const { sessionToken } = await world.ok('POST', '/auth/token', {
      as: world.root.as,
      json: { audience: 'svc-mcp' },
    });
    expect(await challenged({ authorization: 'Bearer x' })).toEqual(refused);
    expect(await challenged(rest)).toEqual(refused);
    expect(await challenged({ authorization: `Bearer ${sessionToken}` })).toEqual(refused);
    const pair = await world.pair(world.root.as);
    expect(await challenged({ ...pair.as, authorization: 'Bearer x' })).toEqual(refused);
  });

  it('limits are for svc-mcp, whole and positive, and bind what the token mints (contract 12)', async () => {
    const ask = async (json: object, as = world.root.as) => {
      const { status, body } = await world.api('POST', '/auth/token', { as, json });
      return [status, body.error];
    };
    const audience = 'svc-mcp';
    for (const limits of [
      ...[
        null,
        [],
        7,
        { sessions: 0 },
        { sessions: 1.5 },
        { sessions: '1' },
        { sessions: null },
        { phones: 1 },
      ],
      ...[{ minutes: -1 }, { minutes: 0 }, { minutes: 1e9 }, { sessions: 1e9 }, { minutes: true }],
    ])
      expect(await ask({ audience, limits }), JSON.stringify(limits)).toEqual([400, 'bad_request']);
    expect(await ask({ limits: { sessions: 1 } })).toEqual([400, 'bad_request']);
    expect(await ask({ audience: 'svc-rest', limits: { sessions: 1 } })).toEqual([400, 'bad_request']);
    expect(await ask({ audience, limits: {} })).toEqual([200, undefined]);

    const scopes = [...EVERY_SCOPE];
    const limited = await world.bearer(world.root.as, {
      audience,
      scopes,
      limits: { sessions: 2, minutes: 5 },
    });
    expect(await ask({ audience, limits: { sessions: 3 } }, limited)).toEqual([403, 'limit_reached']);
    expect(await ask({ audience, limits: { sessions: 1 } }, limited)).toEqual([200, undefined]);
  });

  it('an agent mints bearers and no other credential, with and without limits (contract 4)', async () => {
    const member = await world.person();
    const agent = await world.bearer(world.root.as, { audience: 'svc-mcp', scopes: [...EVERY_SCOPE] });
    const minted = await world.bearer(agent);
    const rule = { name: 'way out', issuer: 'https://ci.example', claims: [], scopes: ['read'] };
    for (const as of [agent, minted]) {
      for (const [path, json] of [
        ['/profile/tokens', { name: 'way out' }],
        ['/apikeys', { name: 'way out', scopes: ['read'] }],
        ['/apikeys', { name: 'way out', kind: 'scim' }],
        ['/profile/passkeys/options', undefined],
        ['/profile/passkeys', { name: 'way out', response: {} }],
        ['/trust-rules', rule],
        ['/webhook', { url: 'https://hooks.example/', events: [] }],
        ['/auth/dashboard-session', undefined],
        ['/users', { email: 'way-out@example.test', name: 'way out', role: 'Member' }],
        [`/users/${member.id}/reset-link`, undefined],
      ] as const) {
        const { status, body } = await world.api('POST', path, { as, json });
        expect([status, body.error], path).toEqual([403, 'agents_mint_bearers_only']);
      }
    }
  });

  it('a token that an agent mints keeps its MCP scopes, whatever the audience (contract 4)', async () => {
    const audience = 'svc-mcp';
    const agent = await world.bearer(world.root.as, { audience, scopes: ['svc:devices:read'] });
    const ask = (as: Credentials, json: object) => world.api('POST', '/auth/token', { as, json });
    const rest = await world.bearer(agent);
    const again = await world.bearer(rest);
    const session = '00000000-0000-4000-8000-000000000000';
    for (const as of [agent, rest, again]) {
      const recording = await world.api('GET', `/session/${session}/recording`, { as });
      expect([recording.status, recording.body]).toMatchObject([
        403,
        { error: 'insufficient_scope', required: 'svc:recordings' },
      ]);
      const more = await ask(as, { audience, scopes: ['svc:recordings'] });
      expect([more.status, more.body.error]).toEqual([403, 'scope_exceeds_key']);
    }
    const seeing = await world.bearer(
      await world.bearer(world.root.as, { audience, scopes: [...EVERY_SCOPE] }),
    );
    expect((await world.api('GET', `/session/${session}/recording`, { as: seeing })).status).toBe(404);
    expect(await challenged(rest)).toEqual({
      status: 401,
      challenge: `Bearer ${METADATA}, error="invalid_token"`,
    });
  });

  it('an agent that only uses the REST API is listed for its owner, and can be stopped (contract 4, 12)', async () => {
    const person = await world.person();
    const json = { audience: 'svc-mcp', scopes: ['svc:devices:read'] };
    const { token } = await world.ok('POST', '/auth/token', { as: person.as, json });
    const minted = await world.bearer({ authorization: `Bearer ${token}` });
    await world.ok('GET', '/devices', { as: minted });
    const [listed, ...others] = await world.ok('GET', '/agents', { as: person.as });
    expect(others).toEqual([]);
    expect(listed).toMatchObject({ owner: { id: person.id }, scopes: json.scopes, lastTool: null });
    expect(listed.lastAt).not.toBeNull();
    await world.ok('DELETE', `/agents/${listed.id}`, { as: person.as });
    for (const as of [minted, { authorization: `Bearer ${token}` }])
      expect((await world.api('GET', '/devices', { as })).status).toBe(401);
  });

  it('stopping every agent ends also tokens that were never used, and no later ones (contract 12)', async () => {
    const mint = () => world.ok('POST', '/auth/token', { as: world.root.as, json: { audience: 'svc-mcp' } });
    const { token } = await mint();
    const unseen = { authorization: `Bearer ${token}` };
    const minted = await world.bearer(unseen);
    const rest = await world.bearer(world.root.as);
    await world.ok('DELETE', '/agents', { as: rest });
    const status = async (as: { authorization?: string }) =>
      (await world.api('GET', '/auth/me', { as })).status;
    expect([await status(unseen), await status(minted), await status(rest)]).toEqual([401, 401, 200]);
    const { items } = await world.ok('GET', '/audit?event=authn_token_revoked&limit=1', {
      as: world.root.as,
    });
    expect(items[0]).toMatchObject({ target: 'svc-mcp', reason: 'every agent stopped' });
    expect(await status({ authorization: `Bearer ${(await mint()).token}` })).toBe(200);
    agent = await RawAgent.of(world, world.root.as);
  });

  it('a token of an account that is set Inactive is refused at once (contract 12)', async () => {
    const person = await world.person();
    const theirs = await RawAgent.of(world, person.as, ['svc:devices:read']);
    expect((await theirs.send(LIST_TOOLS)).status).toBe(200);
    await world.ok('PATCH', `/users/${person.id}`, { as: world.root.as, json: { status: 'Inactive' } });
    expect((await theirs.send(LIST_TOOLS)).status).toBe(401);
  });

  it.each(['2025-06-18', '2025-11-25'])(
    'revision %s begins with initialize (contract 12)',
    async (revision) => {
      const { status, body, headers } = await agent.send(initialize(revision));
      expect(status).toBe(200);
      expect(body.result).toMatchObject({ protocolVersion: revision, serverInfo: { name: 'svc' } });
      expect(headers.get('mcp-session-id')).toBeNull();
      const notified = await agent.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      expect(notified.status).toBe(202);
      const listed = await agent.send(LIST_TOOLS, { 'mcp-protocol-version': revision });
      expect(listed.body.result.tools).toHaveLength(17);
    },
  );

  it('revision 2026-07-28 needs no handshake (contract 12)', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' };
    const message = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } };
    const { status, body } = await agent.send(message, headers);
    expect(status).toBe(200);
    expect(body.result.supportedVersions).toContain('2026-07-28');
  });

  it('GET and DELETE are not allowed, and a batch is refused (contract 12)', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, headers } = await sendMcp(world.url, '', agent.as, method);
      expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    }
    const { status, body } = await agent.send([LIST_TOOLS, LIST_TOOLS]);
    expect([status, body.error.code]).toEqual([400, -32_600]);
  });

  it('a body that is no JSON, too large or of another type is refused (contract 12, 1)', async () => {
    expect((await agent.send('{')).body.error.code).toBe(-32_700);
    expect((await agent.send('7')).status).toBe(400);
    const deep = `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`;
    const nested = await agent.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${deep}}`);
    expect([nested.status, nested.body.error.code]).toEqual([400, -32_600]);
    const large = await agent.send(calling('list_devices', { platform: 'x'.repeat(1024 * 1024) }));
    expect([large.status, large.body.error]).toEqual([413, 'body_too_large']);
    expect((await agent.send(LIST_TOOLS, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('Origin has to be the own or an allowed one (contract 12)', async () => {
    const status = async (origin: string) => (await agent.send(LIST_TOOLS, { origin })).status;
    expect(await status(world.url)).toBe(200);
    expect(await status('https://pages.example.test')).toBe(200);
    expect(await status('https://evil.example.test')).toBe(403);
    expect(await status('null')).toBe(403);
  });

  it('a foreign name of this server is no own Origin, so that a rebound page is refused (contract 12)', async () => {
    const status = async (host: string) => {
      const headers = { host, origin: `http://${host}` };
      return (await call(world.url, 'POST', '/svc/mcp', { as: agent.as, headers, json: LIST_TOOLS })).status;
    };
    const { port } = new URL(world.url);
    expect(await status(`evil.example.test:${port}`)).toBe(403);
    expect(await status(`localhost:${port}`)).toBe(200);
    expect(await status(`127.0.0.1:${port}`)).toBe(200);
  });

  it.each(EVERY_SCOPE)('%s lists and opens its tools alone (contract 12)', async (scope) => {
    const limited = await RawAgent.of(world, world.root.as, [scope]);
    expect((await limited.tools()).sort()).toEqual([...TOOLS[scope]].sort());
    const others = EVERY_SCOPE.filter((each) => each !== scope);
    for (const other of others) {
      const { status, headers, body } = await limited.send(calling(TOOLS[other][0] as string));
      expect([status, body.error, body.required]).toEqual([403, 'insufficient_scope', other]);
      expect(headers.get('www-authenticate')).toBe(
        `Bearer ${METADATA}, error="insufficient_scope", scope="${other}"`,
      );
    }
  });

  it('every tool describes itself and its arguments for a model (contract 12)', async () => {
    const { body } = await agent.send(LIST_TOOLS);
    for (const { name, description, inputSchema } of body.result.tools) {
      expect(description, name).toMatch(/Example: \{/);
      for (const [argument, schema] of Object.entries<{ description?: string }>(inputSchema.properties))
        expect(schema.description, `${name}.${argument}`).toBeTruthy();
    }
  });

  it('an unknown tool and unusable arguments are errors that name the problem (contract 12)', async () => {
    expect((await agent.send(calling('reboot'))).body.error.code).toBe(-32_602);
    const answer = await agent.call('lease_device', { minutes: 'many' });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.content[0]?.text).toContain('minutes');
    expect(await agent.call('list_devices', { color: 'red' })).toMatchObject({ isError: true });
  });

  it('calls count as API requests, and beyond the limit they get 429 with Retry-After (contract 12)', async () => {
    const { as } = await world.person();
    const limited = await RawAgent.of(world, as);
    const read = await limited.send(calling('list_devices'));
    expect(read.headers.get('x-ratelimit-category')).toBe('read');
    expect(read.headers.get('x-ratelimit-capacity')).toBe('3000');
    const change = await limited.send(calling('end_session', { sessionId: 'x' }));
    expect(change.headers.get('x-ratelimit-category')).toBe('change');
    const ends = () =>
      Array.from({ length: 110 }, () => limited.send(calling('end_session', { sessionId: 'x' })));
    let refused: McpResponse | undefined;
    // The limit is refilled evenly, so a slow machine needs more requests to exceed it.
    for (let round = 0; refused === undefined && round < 10; round++)
      refused = (await Promise.all(ends())).find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ error: 'rate limit exceeded', category: 'change' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await limited.send(calling('list_devices'))).status).toBe(200);
  });

  it('svc mcp speaks for an agent on standard input and output (contract 12)', async () => {
    const pair = await world.pair(world.root.as);
    const env = { SVC_URL: world.url, SVC_ACCESS_KEY: pair.accessKey, SVC_TOKEN: pair.token };
    const answers: Record<string, unknown>[] = [];
    const waiting: (() => void)[] = [];
    const answered = (count: number) =>
      new Promise<void>((done) => {
        const look = () => answers.length >= count && done();
        waiting.push(look);
        look();
      });
    async function* lines() {
      yield JSON.stringify(initialize('2025-11-25'));
      await answered(1);
      yield JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
      yield 'no JSON';
      await answered(2);
      yield JSON.stringify(calling('list_devices'));
      await answered(3);
      yield JSON.stringify({ ...calling('lease_device', { minutes: 1 }), id: 'four' });
      await answered(4);
    }
    const out = (text: string) => {
      answers.push(JSON.parse(text));
      for (const look of waiting) look();
    };
    expect(await runCommand(['mcp'], env, { out, err: () => undefined, lines })).toBe(0);
    expect(answers).toMatchObject([
      { id: 1, result: { protocolVersion: '2025-11-25' } },
      { id: null, error: { code: -32_700 } },
      { id: 7, result: { content: [{ type: 'text' }] } },
      { id: 'four', error: { message: 'insufficient_scope: the token lacks svc:devices:lock.' } },
    ]);
    const help: string[] = [];
    expect(await runCommand(['mcp', 'x'], env, { out, err: (text) => help.push(text) })).toBe(2);
    expect(help.join('')).toContain('mcp [--scopes');
  });

  it('a refused call of an agent is audited with via mcp (contract 12)', async () => {
    const person = await world.person();
    const limited = await RawAgent.of(world, person.as, ['svc:devices:read']);
    await limited.send(calling('start_session'), { 'x-request-id': 'agent-1' });
    const { items } = await world.ok('GET', '/audit?event=authz_fail', { as: world.root.as });
    const row = items.find(({ requestId }: { requestId: string }) => requestId === 'agent-1');
    expect(row).toMatchObject({ via: 'mcp', actor: person.id, target: 'POST /svc/mcp' });
  });
});
