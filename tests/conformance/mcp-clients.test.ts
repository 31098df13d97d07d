import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { targets, World } from './support/world.ts';

const INFO = { name: 'test', version: '1' };

describe.each(targets)('official MCP clients on $name', ({ start }) => {
  let world: World;
  let address: URL;
  let requestInit: RequestInit;
  beforeAll(async () => {
    world = await World.start(start);
    address = new URL(`${world.url}/svc/mcp`);
    requestInit = { headers: await world.bearer(world.root.as, { audience: 'svc-mcp' }) };
  });
  afterAll(() => world?.server.stop());

  it.each([
    ['2025-11-25', {}],
    ['2026-07-28', { versionNegotiation: { mode: 'auto' as const } }],
  ])('version 2 speaks revision %s (contract 12)', async (revision, options) => {
    const client = new Client(INFO, options);
    const transport = new StreamableHTTPClientTransport(address, { requestInit });
    await client.connect(transport);
    expect(transport.protocolVersion).toBe(revision);
    expect((await client.listTools()).tools).toHaveLength(11);
    const { structuredContent } = await client.callTool({ name: 'list_devices', arguments: {} });
    expect(structuredContent).toHaveProperty('devices');
    const refused = await client.callTool({ name: 'get_screenshot', arguments: { sessionId: 'x' } });
    expect(refused.isError).toBe(true);
    await client.close();
  });

  it('version 1 of the SDK lists and calls tools (contract 12)', async () => {
    const client = new EarlierClient(INFO);
    await client.connect(new EarlierTransport(address, { requestInit }) as never);
    expect((await client.listTools()).tools).toHaveLength(11);
    const { content } = await client.callTool({ name: 'list_devices', arguments: {} });
    expect(content).toMatchObject([{ type: 'text' }]);
    await client.close();
  });
});
