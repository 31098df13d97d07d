import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { afterEach, expect, it, vi } from 'vitest';
import { drainBody } from '../src/plugins/drain-body.ts';

afterEach(() => void vi.useRealTimers());

it('a refused body is read to its end, and its connection stays usable (contract 1)', async () => {
  const drained: number[] = [];
  const server = createServer((req, res) => {
    // The reader of the body has paused the request, as it does when the body is too large.
    req.once('data', () => {
      req.pause();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const reply = { removeHeader: () => undefined } as unknown as FastifyReply;
      drainBody({ raw: req } as FastifyRequest, reply);
      req.once('end', () => {
        drained.push(vi.getTimerCount());
        vi.useRealTimers();
        res.writeHead(413).end();
      });
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { port } = server.address() as AddressInfo;
  const reused: boolean[] = [];
  for (const body of ['x'.repeat(500_000), 'y'.repeat(500_000)]) {
    const sent = request({ port, method: 'POST', agent }).end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(413);
    await once(response, 'end');
    reused.push(sent.reusedSocket);
  }
  agent.destroy();
  server.close();
  expect(drained).toEqual([0, 0]);
  expect(reused).toEqual([false, true]);
});
