import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LOG_BOUNDS, type ObservedCommand, TooLarge } from '@svc/device-lab';
import { afterEach, describe, expect, it } from 'vitest';
import { RunningCommands } from '../src/callbacks/running-commands.ts';
import { markAuthorized } from '../src/forward.ts';
import { observed } from '../src/observer.ts';

let server: Server;
afterEach(() => server.close());

type HttpResponse = Parameters<typeof createServer>[1];

/** Starts a server that observes the commands of the session `known`. `answer` sets the body as Express does. */
function serve(
  answer: NonNullable<HttpResponse>,
  { running, caller = null }: { running?: RunningCommands; caller?: 'hub' | null } = {},
): Promise<{ port: number; seen: ObservedCommand[] }> {
  const seen: ObservedCommand[] = [];
  const upstream = observed(
    { request: (req, res) => answer(req as never, res as never), upgrade: () => undefined },
    {
      sessions: { ownerOf: (id) => (id === 'known' ? 'ana' : undefined) },
      commandLog: { add: (command) => seen.push(command) },
      clock: { now: () => 5 },
      ...(running === undefined ? {} : { running }),
    },
  );
  server = createServer((req, res) => {
    const sessionId = req.url?.split('/')[2];
    markAuthorized(req, { kind: 'command', url: req.url ?? '', sessionId }, caller);
    upstream.request(req, res);
  });
  return new Promise((ready) =>
    server.listen(0, '127.0.0.1', () => ready({ port: (server.address() as AddressInfo).port, seen })),
  );
}

function send(port: number, path: string, headers: Record<string, string> = {}, body = ''): Promise<string> {
  return new Promise((done, failed) => {
    const sent = request({ port, path, method: 'POST', headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      answer.on('end', () => done(text));
    });
    sent.on('error', failed);
    sent.end(body);
  });
}

describe('what is seen of a command', () => {
  it('an observed command is what its client sent and got, and the client gets it unchanged', async () => {
    const { port, seen } = await serve((req, res) => {
      Object.assign(req, { body: { a: 1 } });
      res.statusCode = 404;
      res.write('{"value":');
      res.write(Buffer.from('"ü'));
      res.end('"}', 'utf8', () => undefined);
    });
    expect(await send(port, '/session/known/url?token=x')).toBe('{"value":"ü"}');
    expect(seen).toMatchObject([
      { sessionId: 'known', method: 'POST', path: '/session/known/url', status: 404 },
    ]);
    expect(seen[0]?.body).toEqual({ a: 1 });
    expect(seen[0]?.response()).toBe('{"value":"ü"}');
  });

  it('an observed command is noted once, however often it is ended, with what it holds and no more of its path than may be', async () => {
    const { port, seen } = await serve((req, res) => {
      Object.assign(req, { body: 'four' });
      res.end('12345');
      res.end();
    });
    await send(port, `/session/known/${'x'.repeat(600)}`, {}, 'four');
    expect(seen.map(({ size, path }) => [size, path.length])).toEqual([[9, 512]]);
  });

  it('an observed command is no command of a session that the server does not know', async () => {
    const { port, seen } = await serve((_req, res) => res.end());
    await send(port, '/session/unknown/url');
    expect(seen).toEqual([]);
  });

  it.each([
    ['known', 'hub', 1],
    ['unknown', 'hub', 1],
    ['known', null, 0],
  ] as const)(
    'an observed command counts as running until it is answered: session %s, let in for %s',
    async (id, caller, count) => {
      const running = new RunningCommands();
      const counts: number[] = [];
      const { port } = await serve(
        (_req, res) => {
          counts.push(running.of(id).length);
          res.end('answer');
          counts.push(running.of(id).length);
        },
        { running, caller },
      );
      expect(await send(port, `/session/${id}/url`)).toBe('answer');
      expect(counts).toEqual([count, 0]);
    },
  );

  it('an observed command holds no large answer and no large body, with or without a declared length', async () => {
    const large = LOG_BOUNDS.bytesSeen + 1;
    const { port, seen } = await serve((req, res) => {
      Object.assign(req, { body: { held: true } });
      req.resume().on('end', () => {
        res.write('x'.repeat(large));
        res.end('y');
      });
    });
    // The body is well above the limit, because bytes that arrive together with the headers do not count.
    const body = 'b'.repeat(3 * large);
    await send(port, '/session/known/a', { 'content-length': String(body.length) }, body);
    await send(port, '/session/known/b', { 'transfer-encoding': 'chunked' }, body);
    await send(port, '/session/known/c', { 'transfer-encoding': 'chunked' }, 'short');
    expect(seen.map((command) => command.body instanceof TooLarge)).toEqual([true, true, false]);
    for (const command of seen) {
      expect(command.response()).toEqual(new TooLarge(large + 1));
      expect(command.size).toBeLessThanOrEqual(LOG_BOUNDS.bytesSeen * 2);
    }
  });
});
