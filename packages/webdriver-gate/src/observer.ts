import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@svc/auth-core';
import {
  type CommandLog,
  type DriverSessions,
  LOG_BOUNDS,
  type ObservedCommand,
  TooLarge,
} from '@svc/device-lab';
import type { RunningCommand, RunningCommands } from './callbacks/running-commands.ts';
import { authorizedAs, authorizedCaller, type Upstream } from './forward.ts';
import { isAttached } from './request-origin.ts';

interface ObserverOptions {
  readonly sessions: Pick<DriverSessions, 'ownerOf'>;
  readonly commandLog: Pick<CommandLog, 'add'>;
  readonly clock: Clock;
  /** Tracks the running commands whose sender was checked. Absent if they need not be tracked. */
  readonly running?: Pick<RunningCommands, 'begin' | 'end'>;
}

/**
 * Wraps `upstream` so that every command of a recorded session is added to the command log when its response ends. This
 * runs for every command, so it does no slow work: it uses the body that the automation server has parsed, and does not
 * copy the response.
 */
export function observed(upstream: Upstream, options: ObserverOptions): Upstream {
  const { sessions, running } = options;
  return {
    request: (req, res, context) => {
      const passed = authorizedAs(req);
      if (passed?.kind === 'command' && passed.sessionId !== undefined) {
        const { sessionId } = passed;
        const ownerId = sessions.ownerOf(sessionId);
        const caller = authorizedCaller(req);
        const command = caller === null ? null : (running?.begin(sessionId, caller) ?? null);
        if (ownerId !== undefined) {
          watch(res, new Observed(req, res, { sessionId, ownerId, command }, options));
        } else if (command !== null && running !== undefined) {
          watch(res, new Unrecorded(res, command, running));
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
type Watched = ServerResponse & { [SEEN]: Seen };

/** Gets the parts of one response. */
interface Seen {
  /** Original method of the response. The observer has replaced it, and calls it. */
  readonly write: Write;
  readonly end: End;
  /** Called with each part of the response. */
  take(chunk: unknown): void;
  /** Called before the last part of the response is written. Called again if `end` is called twice. */
  complete(status: number): void;
}

/**
 * Replaces the methods `write` and `end` of a response. All responses share the same two functions, because separate
 * closures would give each response its own hidden class in V8, which slows Express down.
 */
function watch(res: ServerResponse, seen: Seen): void {
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

/** A request with the body that Express has parsed. */
type Parsed = IncomingMessage & { readonly body?: unknown };

const LONGEST_PATH = 512;
const decoder = new TextDecoder();

/** Observer of a command whose session is not recorded (yet). It only reports the end of the response to `running`. */
class Unrecorded implements Seen {
  readonly write: Write;
  readonly end: End;
  readonly #command: RunningCommand;
  readonly #running: Pick<RunningCommands, 'end'>;

  constructor(res: ServerResponse, command: RunningCommand, running: Pick<RunningCommands, 'end'>) {
    this.write = res.write;
    this.end = res.end;
    this.#command = command;
    this.#running = running;
  }

  take(): void {}

  complete(): void {
    this.#running.end(this.#command);
  }
}

class Observed implements ObservedCommand, Seen {
  readonly sessionId: string;
  readonly ownerId: string | null;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly via: 'attach' | null;
  readonly write: Write;
  readonly end: End;
  status = 0;
  durationMs = 0;
  size = 0;
  body: unknown;
  readonly #options: ObserverOptions;
  readonly #bytesBefore: number;
  readonly #command: RunningCommand | null;
  #req: Parsed | undefined;
  #chunks: (string | Uint8Array)[] = [];
  #bytes = 0;

  constructor(
    req: Parsed,
    res: ServerResponse,
    {
      sessionId,
      ownerId,
      command,
    }: Pick<ObservedCommand, 'sessionId' | 'ownerId'> & { command: RunningCommand | null },
    options: ObserverOptions,
  ) {
    const url = req.url ?? '';
    const query = url.indexOf('?');
    this.sessionId = sessionId;
    this.ownerId = ownerId;
    this.at = options.clock.now();
    this.method = req.method ?? '';
    this.path = url.slice(0, Math.min(query < 0 ? url.length : query, LONGEST_PATH));
    this.via = isAttached(req) ? 'attach' : null;
    this.write = res.write;
    this.end = res.end;
    this.#options = options;
    this.#command = command;
    this.#req = req;
    this.#bytesBefore = req.socket.bytesRead;
  }

  /** Collects a part of the response. Ignores a function, because Node allows a callback in place of a part. */
  take(chunk: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    this.#bytes += chunk.length;
    if (this.#bytes <= LOG_BOUNDS.bytesSeen) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  /** Adds the command to the command log when the response ends. Further calls have no effect. */
  complete(status: number): void {
    const req = this.#req;
    if (req === undefined) return;
    this.#req = undefined;
    if (this.#command !== null) this.#options.running?.end(this.#command);
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

/**
 * @returns the size of the request body in bytes. For a chunked body, this is the number of bytes that had arrived when
 * the response ended, or Infinity if that is unknown.
 */
function bodySize({ headers, socket }: IncomingMessage, before: number): number {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  if (headers['transfer-encoding'] === undefined) return 0;
  const bytes = socket.bytesRead - before;
  return Number.isNaN(bytes) ? Number.POSITIVE_INFINITY : bytes;
}
