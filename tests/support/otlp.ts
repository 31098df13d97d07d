import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ends } from './ends.ts';

/** The parts of a span that tests inspect. */
export interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly id: string;
  /** Empty if the span began the trace. */
  readonly parentId: string;
  readonly traceState: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** The value 2 means that the operation failed. */
  readonly statusCode: number;
  readonly durationMs: number;
  /** `service.instance.id` of the sender. */
  readonly instance: string;
}

/** A point of a metric; `value` is the count for a histogram. */
interface SentPoint {
  readonly name: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

export interface Collector {
  readonly url: string;
  /** Each request as received: its path, its request line with headers, and its body. */
  readonly requests: { readonly path: string; readonly head: string; readonly body: Buffer }[];
  spans(): SentSpan[];
  /** Returns the last points of a server. */
  points(instance: string): SentPoint[];
  close(): Promise<void>;
}

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

const TAKES: Answer = (_req, res) =>
  void res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();

/** Starts an OTLP/HTTP collector that stores the requests. */
export async function startCollector(answer: Answer = TAKES): Promise<Collector> {
  const requests: Collector['requests'] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { url: path = '', rawHeaders } = req;
      requests.push({
        path,
        head: `${req.method} ${path} ${rawHeaders.join(' ')}`,
        body: Buffer.concat(chunks),
      });
      answer(req, res);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const of = (signal: string) => requests.filter(({ path }) => path.endsWith(`/v1/${signal}`));
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((done) => server.close(done));
  };
  closes.push(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () => of('traces').flatMap(({ body }) => spansIn(body)),
    points: (instance) =>
      of('metrics')
        .map(({ body }) => pointsIn(body, instance))
        .findLast(({ length }) => length > 0) ?? [],
    close,
  };
}

const closes: (() => Promise<void>)[] = [];
ends.push(async () => {
  await Promise.all(closes.splice(0).map((close) => close()));
});

/** A protobuf message: its fields by number. */
class Message {
  readonly #fields = new Map<number, (Buffer | bigint)[]>();

  constructor(bytes: Buffer) {
    let at = 0;
    const varint = (): bigint => {
      for (let value = 0n, shift = 0n; ; shift += 7n) {
        const byte = bytes.readUInt8(at++);
        value |= BigInt(byte & 127) << shift;
        if (byte < 128) return value;
      }
    };
    const take = (size: number): Buffer => {
      at += size;
      return bytes.subarray(at - size, at);
    };
    while (at < bytes.length) {
      const tag = Number(varint());
      const type = tag & 7;
      if (![0, 1, 2, 5].includes(type)) throw new Error(`no protobuf: wire type ${type}`);
      const value = type === 0 ? varint() : take(type === 1 ? 8 : type === 5 ? 4 : Number(varint()));
      const field = tag >> 3;
      this.#fields.set(field, [...(this.#fields.get(field) ?? []), value]);
    }
    if (at !== bytes.length) throw new Error('no protobuf: it is cut');
  }

  has(field: number): boolean {
    return this.#fields.has(field);
  }

  bytes(field: number): Buffer {
    return (this.#fields.get(field)?.[0] ?? Buffer.alloc(0)) as Buffer;
  }

  text(field: number): string {
    return this.bytes(field).toString('utf8');
  }

  number(field: number): number {
    return Number(this.#fields.get(field)?.[0] ?? 0n);
  }

  nanos(field: number): bigint {
    return this.bytes(field).readBigUInt64LE();
  }

  double(field: number): number {
    return this.has(field) ? this.bytes(field).readDoubleLE() : 0;
  }

  /** Packed values of eight bytes each. */
  packed(field: number, read: (bytes: Buffer) => number): number[] {
    const all = this.bytes(field);
    return Array.from({ length: all.length / 8 }, (_, nth) => read(all.subarray(nth * 8)));
  }

  messages(field: number): Message[] {
    return (this.#fields.get(field) ?? []).map((bytes) => new Message(bytes as Buffer));
  }
}

/** Reads `KeyValue` messages. */
function attributesIn(message: Message, field: number): Record<string, string | number> {
  return Object.fromEntries(
    message.messages(field).map((pair) => {
      const [value] = pair.messages(2) as [Message];
      return [pair.text(1), value.has(1) ? value.text(1) : value.has(4) ? value.double(4) : value.number(3)];
    }),
  );
}

/** Reads an `ExportTraceServiceRequest`. */
function spansIn(body: Buffer): SentSpan[] {
  return new Message(body).messages(1).flatMap((ofResource) => {
    const instance = instanceOf(ofResource);
    return ofResource.messages(2).flatMap((ofScope) =>
      ofScope.messages(2).map((span) => ({
        name: span.text(5),
        traceId: span.bytes(1).toString('hex'),
        id: span.bytes(2).toString('hex'),
        parentId: span.bytes(4).toString('hex'),
        traceState: span.text(3),
        kind: span.number(6),
        attributes: attributesIn(span, 9),
        statusCode: span.messages(15)[0]?.number(3) ?? 0,
        durationMs: Number(span.nanos(8) - span.nanos(7)) / 1e6,
        instance,
      })),
    );
  });
}

/** @returns the instance of `ResourceSpans` or `ResourceMetrics` */
function instanceOf(ofResource: Message): string {
  return String(attributesIn(ofResource.messages(1)[0] as Message, 1)['service.instance.id']);
}

const KINDS = [
  [5, 'gauge'],
  [7, 'sum'],
  [9, 'histogram'],
] as const;

/** Reads an `ExportMetricsServiceRequest`. */
function pointsIn(body: Buffer, instance: string): SentPoint[] {
  const metrics = new Message(body)
    .messages(1)
    .filter((ofResource) => instanceOf(ofResource) === instance)
    .flatMap((ofResource) => ofResource.messages(2))
    .flatMap((ofScope) => ofScope.messages(2));
  return metrics.flatMap((metric) =>
    KINDS.flatMap(([field, kind]) =>
      metric.messages(field).flatMap((content) =>
        content.messages(1).map((point) => ({
          name: metric.text(1),
          kind,
          attributes: attributesIn(point, kind === 'histogram' ? 9 : 7),
          value: kind === 'histogram' ? Number(point.nanos(4)) : point.double(4),
          bounds: point.packed(7, (bytes) => bytes.readDoubleLE()),
          counts: point.packed(6, (bytes) => Number(bytes.readBigUInt64LE())),
        })),
      ),
    ),
  );
}
