import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@svc/auth-core';
import {
  type CommandLog,
  type DriverSessions,
  LOG_BOUNDS,
  type SeenCommand,
  TooLarge,
} from '@svc/device-lab';
import { type Behind, passedAs } from './hand-on.ts';

interface ObserverOptions {
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
  readonly commandLog: Pick<CommandLog, 'add'>;
  readonly clock: Clock;
}

/**
 * `behind`, with every command of a known session noted for its log as it is answered. Nothing is parsed, copied or
 * awaited on the command's way: the automation server has parsed the body anyway, and answers in one piece.
 */
export function observed(behind: Behind, options: ObserverOptions): Behind {
  const { sessions, clock } = options;
  return {
    request: (req, res, context) => {
      const passed = passedAs(req);
      if (
        passed?.kind === 'command' &&
        passed.sessionId !== undefined &&
        sessions.ownerOf(passed.sessionId) !== undefined
      ) {
        watch(req, res, new Observed(req, passed.sessionId, clock.now()), options);
      }
      behind.request(req, res, context);
    },
    upgrade: behind.upgrade,
  };
}

type End = ServerResponse['end'];
type Write = ServerResponse['write'];
/** Express leaves the parsed body here. */
type Parsed = IncomingMessage & { readonly body?: unknown };

/** Looks at what the answer is written with. The response's own methods are back once it is complete. */
function watch(
  req: Parsed,
  res: ServerResponse,
  seen: Observed,
  { commandLog, clock }: ObserverOptions,
): void {
  const { write, end } = res;
  const measure = bodyMeasure(req);
  res.write = ((chunk: unknown, ...rest: [never]) => {
    seen.take(chunk);
    return (write as Write).call(res, chunk, ...rest);
  }) as Write;
  res.end = ((chunk?: unknown, ...rest: [never]) => {
    res.write = write;
    res.end = end;
    seen.take(chunk);
    seen.complete(res.statusCode, clock.now(), req.body, measure());
    commandLog.add(seen);
    return (end as End).call(res, chunk, ...rest);
  }) as End;
}

/** How large the body was. A chunked one does not say: by what came in until the answer, unknown counts as large. */
function bodyMeasure({ headers, socket }: IncomingMessage): () => number {
  const length = headers['content-length'];
  if (length !== undefined) return () => Number(length);
  if (headers['transfer-encoding'] === undefined) return () => 0;
  const before = socket.bytesRead;
  return () => {
    const bytes = socket.bytesRead - before;
    return Number.isNaN(bytes) ? Number.POSITIVE_INFINITY : bytes;
  };
}

const LONGEST_PATH = 512;
const decoder = new TextDecoder();

class Observed implements SeenCommand {
  readonly sessionId: string;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  status = 0;
  durationMs = 0;
  size = 0;
  body: unknown;
  #chunks: (string | Uint8Array)[] = [];
  #bytes = 0;

  constructor(req: IncomingMessage, sessionId: string, at: number) {
    const url = req.url ?? '';
    const query = url.indexOf('?');
    this.sessionId = sessionId;
    this.at = at;
    this.method = req.method ?? '';
    this.path = url.slice(0, Math.min(query < 0 ? url.length : query, LONGEST_PATH));
  }

  /** A call-back is no part of the answer. */
  take(chunk: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    this.#bytes += chunk.length;
    if (this.#bytes <= LOG_BOUNDS.bytesSeen) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  complete(status: number, now: number, body: unknown, bytes: number): void {
    const large = bytes > LOG_BOUNDS.bytesSeen;
    this.status = status;
    this.durationMs = now - this.at;
    this.body = large ? new TooLarge(bytes) : body;
    this.size = (large ? 0 : bytes) + Math.min(this.#bytes, LOG_BOUNDS.bytesSeen);
  }

  response(): string | TooLarge | undefined {
    if (this.#bytes === 0) return undefined;
    if (this.#chunks.length === 0) return new TooLarge(this.#bytes);
    return this.#chunks.map((chunk) => (typeof chunk === 'string' ? chunk : decoder.decode(chunk))).join('');
  }

  shed(): void {
    this.#chunks = [];
    this.body = undefined;
  }
}
