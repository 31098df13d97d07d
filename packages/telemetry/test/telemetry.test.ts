import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { fakeClock, silentLog } from '@svc/auth-core/testing';
import { counter, gauge, LatencyHistogram, type Metric, single } from '@svc/module';
import { Outbound } from '@svc/outbound';
import { readConfig } from '@svc/settings';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Collector } from '../src/collector.ts';
import { loadTelemetry } from '../src/load.ts';
import { Telemetry } from '../src/telemetry.ts';

const MINUTE = 60_000;
const configOf = (env: Record<string, string>) =>
  readConfig({ env, homeDir: '/home/lab', readFile: () => '', resolvePath: (...parts) => parts.join('/') })
    .config;

let servers: Server[];
let log: ReturnType<typeof silentLog>;
let clock: ReturnType<typeof fakeClock>;
beforeEach(() => {
  servers = [];
  log = silentLog();
  clock = fakeClock(Date.UTC(2026, 5, 1));
});
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<[string, Server]> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return [`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server];
}

/** A response that works without a socket, so that the test can end it. */
class Response extends Writable {
  statusCode = 200;
  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done();
  }
}

function telemetryAt(endpoint: string, metrics: readonly Metric[] = [], proxy = {}): Telemetry {
  const config = configOf({ SVC_METRICS_ENDPOINT: endpoint, ...proxy });
  const outbound = new Outbound(config.proxy);
  return new Telemetry({ config, instance: 'test', version: '1.2.3', metrics, outbound, clock, log });
}

async function command(
  { tracing }: Telemetry,
  headers: IncomingHttpHeaders = {},
): Promise<IncomingHttpHeaders> {
  const res = new Response();
  tracing.command({ method: 'GET', headers } as IncomingMessage, res as never, 'a session', '/session/*/url');
  res.end();
  await once(res, 'close');
  return headers;
}

describe('SVC_METRICS_ENDPOINT (specification 9.2 from 2.16)', () => {
  it('unset: nothing is loaded, and the ratio of others is not looked at', async () => {
    expect(await loadTelemetry(configOf({ OTEL_TRACES_SAMPLER_ARG: 'x' }))).toBeNull();
    expect(await loadTelemetry(configOf({ SVC_METRICS_ENDPOINT: 'http://collector.test:4318/' }))).toBe(
      Telemetry,
    );
  });

  it.each([
    ['SVC_METRICS_ENDPOINT', 'collector:4318'],
    ['SVC_METRICS_ENDPOINT', 'http://user:secret@collector.test'],
    ['SVC_METRICS_ENDPOINT', 'http://collector.test/?key=secret'],
    ['SVC_METRICS_ENDPOINT', 'grpc://collector.test/secret'],
    ['OTEL_TRACES_SAMPLER_ARG', 'endpoint=http://x'],
  ])('%s=%s stops the start and names the variable, not the value (contract 5)', (name, value) => {
    const env = { SVC_METRICS_ENDPOINT: 'http://collector.test', [name]: value };
    expect(() => configOf(env)).toThrow(name);
    expect(() => configOf(env)).not.toThrow(value);
  });

  it.each([
    ['SVC_METRICS_ENDPOINT', 'grpc://collector.test:4317'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '-1'],
  ])('%s=%s stops the start and shows a value that cannot be a secret (contract 5)', (name, value) => {
    const env = { SVC_METRICS_ENDPOINT: 'http://collector.test', [name]: value };
    expect(() => configOf(env)).toThrow(`(value: ${value})`);
  });

  it('the share of traces: those a caller began are recorded or not as the caller says', async () => {
    const [url] = await listen((_req, res) => void res.end());
    const own: Telemetry[] = [];
    for (const ratio of ['0', '1']) {
      const config = configOf({ SVC_METRICS_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: ratio });
      const telemetry = new Telemetry({
        ...{
          config,
          instance: 'test',
          version: '1.2.3',
          metrics: [],
          outbound: new Outbound(null),
          clock,
          log,
        },
      });
      own.push(telemetry);
      expect((await command(telemetry)).traceparent).toMatch(
        new RegExp(`^00-[0-9a-f]{32}-[0-9a-f]{16}-0${ratio}$`),
      );
      for (const flags of ['00', '01']) {
        const traceparent = `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`;
        const given = { traceparent, tracestate: 'a=b' };
        expect(await command(telemetry, given)).toMatchObject({
          traceparent: expect.stringMatching(
            new RegExp(`^00-0af7651916cd43dd8448eb211c80319c-.{16}-${flags}$`),
          ),
          tracestate: 'a=b',
        });
        expect(given.traceparent).not.toBe(traceparent);
      }
    }
    await Promise.all(own.map((telemetry) => telemetry.stop()));
  });

  it('the last figures are sent at the end; one that cannot be read is left out', async () => {
    const bodies: Buffer[] = [];
    const [url] = await listen(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk);
      if (req.url === '/v1/metrics') bodies.push(Buffer.concat(chunks));
      res.end();
    });
    const histogram = new LatencyHistogram([0.1]);
    histogram.add(0.05);
    const telemetry = telemetryAt(url, [
      gauge('svc_there', 'h', () => single(1)),
      counter('svc_broken', 'h', () => {
        throw new Error('the database is gone');
      }),
      { kind: 'histogram', name: 'svc_took_seconds', help: 'h', read: () => [{ labels: {}, histogram }] },
    ]);
    await telemetry.stop();
    expect(bodies).toHaveLength(1);
    const text = bodies[0]?.toString('latin1');
    for (const name of ['svc_there', 'svc_took_seconds']) expect(text).toContain(name);
    expect(text).not.toContain('svc_broken');
  });
});

describe('a collector that does not take what it is sent', () => {
  it('a collector that does not take what it is sent is told of once in ten minutes for each signal, and once when it takes it again', async () => {
    let status = 503;
    const [endpoint] = await listen(
      (_req, res) => void res.writeHead(status, { location: 'http://x.test' }).end('x'),
    );
    const collector = new Collector({ endpoint, outbound: new Outbound(null), clock, log });
    const send = () => collector.send('traces', Buffer.from('x')).catch(() => undefined);
    await send();
    status = 302;
    await send();
    clock.advance(9 * MINUTE);
    await send();
    expect(log.messages('warn')).toHaveLength(1);
    status = 200;
    await send();
    await send();
    expect(log.messages('info')).toEqual(['The collector of SVC_METRICS_ENDPOINT accepts traces again']);
    status = 500;
    await send();
    expect(log.messages('warn')).toHaveLength(1);
    clock.advance(MINUTE);
    await send();
    expect(log.messages('warn')).toHaveLength(2);
    await collector.close();
  });

  it('a collector that never answers holds up no request: what waits is bounded, and the end takes a second', async () => {
    let requests = 0;
    let bytes = 0;
    const [url] = await listen((req) => {
      requests += 1;
      req.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
    });
    const telemetry = telemetryAt(url);
    for (let nth = 0; nth < 5_000; nth += 1) await command(telemetry);
    const began = performance.now();
    await telemetry.stop();
    expect(performance.now() - began).toBeGreaterThan(900);
    // While the first batch waits for its response, at most 2,048 further spans wait, and there are at most two
    // connections to the collector.
    expect(requests).toBeLessThanOrEqual(3);
    expect(bytes).toBeLessThan(1024 * 1024);
    await command(telemetry);
  });

  it('a collector that does not take what it is sent is reached through SVC_PROXY when it is on another machine', async () => {
    const reached: string[] = [];
    const [url] = await listen((req, res) => {
      reached.push(`${req.headers.host} ${req.url}`);
      req.resume().on('end', () => res.end());
    });
    const [proxyUrl, proxy] = await listen((_req, res) => void res.writeHead(405).end());
    const asked: unknown[] = [];
    proxy.on('connect', (req: IncomingMessage, socket: Socket) => {
      asked.push([req.url, req.headers['proxy-authorization']]);
      const to = connect(Number(new URL(url).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(to).pipe(socket);
      });
      to.on('error', () => socket.destroy());
      socket.on('error', () => to.destroy());
    });
    const SVC_PROXY = proxyUrl.replace('//', '//lab:secret@');
    const telemetry = telemetryAt('http://collector.test:4318/in', [gauge('svc_a', 'h', () => single(1))], {
      SVC_PROXY,
    });
    await telemetry.stop();
    expect(asked).toEqual([['collector.test:4318', `Basic ${Buffer.from('lab:secret').toString('base64')}`]]);
    expect(reached).toEqual(['collector.test:4318 /in/v1/metrics']);
  });
});
