import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Outbound } from '@svc/outbound';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AiTests } from '../src/settings/ai-tests.ts';
import { listModels } from '../src/settings/list-models.ts';

const KEY = 'sk-hunter2';
const outbound = new Outbound(null);
const servers: Server[] = [];

afterEach(() => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts an AI provider that responds with `answer` and stores the requests that it receives. */
async function provider(answer: RequestListener) {
  const requests: IncomingMessage[] = [];
  const server = createServer((req, res) => {
    requests.push(req);
    answer(req, res);
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { baseUrl, requests, server };
}

const ask = (baseUrl: string, signal = new AbortController().signal) =>
  listModels({ baseUrl, apiKey: KEY }, outbound, signal);
const sends =
  (status: number, body = '', headers: Record<string, string> = {}): RequestListener =>
  (_req, res) =>
    res.writeHead(status, headers).end(body);

describe('the models of an AI provider (specification 9.2)', () => {
  it('the models of an AI provider are asked for with the key, and told by their ids (specification 9.2)', async () => {
    const body = JSON.stringify({ object: 'list', data: [{ id: 'llama3:8b' }, { id: 'gpt-4o' }] });
    const { baseUrl, requests } = await provider(sends(200, body));
    expect(await ask(baseUrl)).toEqual({ ok: true, models: ['llama3:8b', 'gpt-4o'] });
    const { method, url, headers } = requests[0] as IncomingMessage;
    expect([method, url, headers.authorization]).toEqual(['GET', '/v1/models', `Bearer ${KEY}`]);
  });

  it('the models of an AI provider are asked for without a key where none is to be sent (specification 9.2)', async () => {
    const { baseUrl, requests } = await provider(sends(200, '{"data":[]}'));
    const answer = await listModels({ baseUrl, apiKey: null }, outbound, new AbortController().signal);
    expect(answer).toEqual({ ok: true, models: [] });
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('the models of an AI provider are at most 200, and only what looks like a name (specification 9.2)', async () => {
    const data = [
      ...[{ id: 'x'.repeat(201) }, { id: 'a\nb' }, { id: 7 }, { id: '' }, null, 'x', {}],
      ...Array.from({ length: 300 }, (_, index) => ({ id: `m${index}` })),
    ];
    const { baseUrl } = await provider(sends(200, JSON.stringify({ data })));
    const answer = await ask(baseUrl);
    expect(answer).toEqual({ ok: true, models: Array.from({ length: 200 }, (_, index) => `m${index}`) });
  });

  it.each([
    [401, 'The address answered with status 401'],
    [500, 'The address answered with status 500'],
    [204, 'The address answered with status 204'],
  ])(
    'the models of an AI provider are not there when it answers %i, and nothing it says is passed on (specification 9.2)',
    async (status, message) => {
      const { baseUrl } = await provider(sends(status, status === 204 ? '' : `${KEY} was wrong`));
      expect(await ask(baseUrl)).toEqual({ ok: false, message });
    },
  );

  it.each([301, 302, 303, 307, 308])(
    'the models of an AI provider are not looked for where it redirects to: %i (specification 9.2)',
    async (status) => {
      const other = await provider(sends(200, '{"data":[]}'));
      const { baseUrl } = await provider(sends(status, '', { location: `${other.baseUrl}/models` }));
      const message = `The address redirects (status ${status}), which is not followed`;
      expect(await ask(baseUrl)).toEqual({ ok: false, message });
      expect(other.requests).toEqual([]);
    },
  );

  it.each(['', 'null', '[]', '{"data":{}}', '<html>', '{"data":[', '\0'.repeat(9)])(
    'the models of an AI provider are not there when it answers %j (specification 9.2)',
    async (body) => {
      const { baseUrl } = await provider(sends(200, body));
      expect(await ask(baseUrl)).toEqual({ ok: false, message: 'The response is not a list of models' });
    },
  );

  it('the models of an AI provider are given up when the answer has no end (specification 9.2)', async () => {
    let sent = 0;
    const { baseUrl, requests } = await provider((_req, res) => {
      const part = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (!res.destroyed && res.write(part)) sent += part.length;
      };
      res.on('drain', more).on('error', () => {});
      res.writeHead(200);
      more();
    });
    expect(await ask(baseUrl)).toEqual({ ok: false, message: 'The response is larger than 1 MiB' });
    await vi.waitFor(() => expect(requests[0]?.socket.destroyed).toBe(true));
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['resets', (socket) => socket.resetAndDestroy()],
    ['hangs up', (socket) => socket.end()],
    ['speaks no HTTP', (socket) => socket.end(`SSH-2.0-${KEY}\r\n`)],
    [
      'upgrades',
      (socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
    ['ends early', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"data"')],
    [
      'says too much in its head',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(99_999)}\r\n\r\n`),
    ],
  ])('the models of an AI provider are not there when it %s (specification 9.2)', async (_, act) => {
    const { baseUrl } = await provider((req) => act(req.socket));
    const answer = await ask(baseUrl);
    expect(answer).toMatchObject({ ok: false, message: expect.stringMatching(/^The address /) });
    expect(JSON.stringify(answer)).not.toContain(KEY);
  });

  it('the models of an AI provider are not there when nobody listens (specification 9.2)', async () => {
    const { baseUrl, server } = await provider(sends(200));
    await new Promise((closed) => server.close(closed));
    expect(await ask(baseUrl)).toEqual({
      ok: false,
      message: 'The address cannot be reached (ECONNREFUSED)',
    });
  });

  it.each<[string, RequestListener]>([
    ['before its head', () => {}],
    [
      'within its body',
      (_req, res) => {
        res.writeHead(200).write('{"data":[');
      },
    ],
  ])(
    'the models of an AI provider are given up after 2 minutes, when it hangs %s (specification 8.2)',
    async (_, answer) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      let begun = () => {};
      const asked = new Promise<void>((done) => {
        begun = done;
      });
      const { baseUrl, requests } = await provider((req, res) => {
        answer(req, res);
        begun();
      });
      let result: unknown;
      const asking = ask(baseUrl).then((models) => {
        result = models;
      });
      await asked;
      vi.advanceTimersByTime(119_999);
      await new Promise(setImmediate);
      expect(result).toBeUndefined();
      vi.advanceTimersByTime(1);
      await asking;
      expect(result).toEqual({ ok: false, message: 'No answer within 120 seconds' });
      await new Promise((gone) => requests[0]?.socket.once('close', gone));
    },
  );

  it('the models of an AI provider are given up when nobody waits for them any more (specification 9.2)', async () => {
    const gone = new AbortController();
    const { baseUrl, requests } = await provider(() => gone.abort());
    expect(await ask(baseUrl, gone.signal)).toMatchObject({ ok: false });
    await vi.waitFor(() => expect(requests[0]?.socket.destroyed).toBe(true));
  });
});

describe('tests of the AI provider', () => {
  const waiting = new AbortController().signal;
  const settings = (aiBaseUrl: string | null) => {
    const values = { aiProvider: null, aiBaseUrl } as never;
    return { startUp: values, current: () => values };
  };

  it('tests of the AI provider are two at once, and the others are told so', async () => {
    const answers: (() => void)[] = [];
    const { baseUrl } = await provider((_req, res) => void answers.push(() => res.end('{"data":[]}')));
    const tests = new AiTests(settings(baseUrl), { apiKey: KEY, outbound });
    const first = [tests.run(waiting), tests.run(waiting)];
    expect(await tests.run(waiting)).toEqual({
      ok: false,
      message: 'Other tests are still running, try again later',
      withKey: false,
    });
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    for (const answer of answers.splice(0)) answer();
    expect(await Promise.all(first)).toEqual([1, 2].map(() => ({ ok: true, models: [], withKey: true })));
    const next = tests.run(waiting);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    answers[0]?.();
    expect(await next).toMatchObject({ ok: true });
  });

  it('tests of the AI provider give their places back when they are given up, and end when the server stops', async () => {
    const { baseUrl, requests } = await provider(() => {});
    const tests = new AiTests(settings(baseUrl), { apiKey: null, outbound });
    for (let round = 0; round < 3; round += 1) {
      const gone = new AbortController();
      const runs = [tests.run(gone.signal), tests.run(gone.signal)];
      await vi.waitFor(() => expect(requests).toHaveLength(2 * (round + 1)));
      gone.abort();
      for (const run of runs) expect(await run).toMatchObject({ ok: false, withKey: false });
    }
    const last = tests.run(waiting);
    tests.stop();
    expect(await last).toMatchObject({ ok: false });
  });

  it('tests of the AI provider ask nobody when no address is set', async () => {
    expect(await new AiTests(settings(null), { apiKey: KEY, outbound }).run(waiting)).toEqual({
      ok: false,
      message: 'No address of an AI provider is set',
      withKey: false,
    });
  });
});
