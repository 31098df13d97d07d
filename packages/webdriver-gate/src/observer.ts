import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@svc/auth-core';
import {
  type CommandLog,
  type DriverSessions,
  LOG_BOUNDS,
  type ObservedCommand,
  TooLarge,
} from '@svc/device-lab';
import { authorizedAs, type Upstream } from './forward.ts';

interface ObserverOptions {
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
  readonly commandLog: Pick<CommandLog, 'add'>;
  readonly clock: Clock;
}

/**
 * `upstream`, with every command of a known session noted for its log as it is answered. Nothing is parsed, copied or
 * awaited on the command's way: the automation server has parsed the body anyway, and answers in one piece.
 */
export function observed(upstream: Upstream, options: ObserverOptions): Upstream {
  const { sessions } = options;
  return {
    request: (req, res, context) => {
      const passed = authorizedAs(req);
      if (passed?.kind === 'command' && passed.sessionId !== undefined) {
        const ownerId = sessions.ownerOf(passed.sessionId);
        if (ownerId !== undefined) {
          watch(res, new Observed(req, res, { sessionId: passed.sessionId, ownerId }, options));
        }
      }
      upstream.request(req, res, context);
    },
    upgrade: upstream.upgrade,
  };
}

const SEEN = Symbol('svc.seen');
type End = ServerResponse['end'];
type Write = ServerResponse['write'];
type Watched = ServerResponse & { [SEEN]: Observed };

/**
 * Observes the two methods a response is written with. All responses share the same two functions: a closure each would
 * give every response a hidden class of its own and slow Express down.
 */
function watch(res: ServerResponse, seen: Observed): void {
  const watched = res as Watched;
  watched[SEEN] = seen;
  watched.write = write as Write;
  watched.end = end as Watched['end'];
}

function write(this: Watched, chunk: unknown, encoding: never, done: never): boolean {
  const seen = this[SEEN];
  seen.take(chunk);
  return seen.write.call(this, chunk, encoding, done);
}

function end(this: Watched, chunk: unknown, encoding: never, done: never): ServerResponse {
  const seen = this[SEEN];
  seen.take(chunk);
  seen.complete(this.statusCode);
  return seen.end.call(this, chunk, encoding, done);
}

/** Express leaves the parsed body here. */
type Parsed = IncomingMessage & { readonly body?: unknown };

const LONGEST_PATH = 512;
const decoder = new TextDecoder();

class Observed implements ObservedCommand {
  readonly sessionId: string;
  readonly ownerId: string | null;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly write: Write;
  readonly end: End;
  status = 0;
  durationMs = 0;
  size = 0;
  body: unknown;
  readonly #options: ObserverOptions;
  readonly #bytesBefore: number;
  #req: Parsed | undefined;
  #chunks: (string | Uint8Array)[] = [];
  #bytes = 0;

  constructor(
    req: Parsed,
    res: ServerResponse,
    { sessionId, ownerId }: Pick<ObservedCommand, 'sessionId' | 'ownerId'>,
    options: ObserverOptions,
  ) {
    const url = req.url ?? '';
    const query = url.indexOf('?');
    this.sessionId = sessionId;
    this.ownerId = ownerId;
    this.at = options.clock.now();
    this.method = req.method ?? '';
    this.path = url.slice(0, Math.min(query < 0 ? url.length : query, LONGEST_PATH));
    this.write = res.write;
    this.end = res.end;
    this.#options = options;
    this.#req = req;
    this.#bytesBefore = req.socket.bytesRead;
  }

  /** A callback is not part of the response. */
  take(chunk: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    this.#bytes += chunk.length;
    if (this.#bytes <= LOG_BOUNDS.bytesSeen) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  /** Once: a response that is ended twice is recorded as it was first. */
  complete(status: number): void {
    const req = this.#req;
    if (req === undefined) return;
    this.#req = undefined;
    const bytes = bodySize(req, this.#bytesBefore);
    const large = bytes > LOG_BOUNDS.bytesSeen;
    this.status = status;
    this.durationMs = this.#options.clock.now() - this.at;
    this.body = large ? new TooLarge(bytes) : req.body;
    this.size = (large ? 0 : bytes) + Math.min(this.#bytes, LOG_BOUNDS.bytesSeen);
    this.#options.commandLog.add(this);
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

/** How large the body was. A chunked one does not say: by what came in until the answer, unknown counts as large. */
function bodySize({ headers, socket }: IncomingMessage, before: number): number {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  if (headers['transfer-encoding'] === undefined) return 0;
  const bytes = socket.bytesRead - before;
  return Number.isNaN(bytes) ? Number.POSITIVE_INFINITY : bytes;
}
