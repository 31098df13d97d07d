import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { type Clock, failureLines, type Log, refusalLines } from '@svc/auth-core';
import { type ConnectionPool, causeOf } from '@svc/outbound';
import {
  ClientGone,
  CommandTurns,
  type CreateBudget,
  type CreateLimits,
  type CreateShare,
  forwardedHeaders,
  GateResponses,
  isForClient,
  NoTurn,
  notCreated,
  Relay,
  type RemotePlace,
  readCreate,
  requestIdOf,
  type TurnLimits,
  type Upstream,
  WebDriverError,
} from '@svc/webdriver-gate';

/** The first entrance may let a create wait for a phone. Further creates wait here, as long as clients usually wait. */
const TURNS: TurnLimits = { concurrency: 256, longestWaitMs: 120_000, name: 'session creates' };
/** All creates share the turns. */
const TURN = 'create';

/**
 * Maximum number of connections that creates use. The first entrance counts all connections of this server for one
 * address, and those of the look-ups must fit beside them.
 */
export const CREATE_CONNECTIONS = TURNS.concurrency;

interface WholeCreateOptions {
  readonly url: string;
  readonly pool: () => ConnectionPool;
  /** Base path of both servers. */
  readonly basePath: string;
  readonly limits: CreateLimits;
  /** Bodies count in it until the first entrance takes them. */
  readonly budget: CreateBudget;
  /** The client's address as the service counts it. */
  readonly addressOf: (req: IncomingMessage) => string;
  /** Whether the client reached this server by TLS. */
  readonly isHttps: (req: IncomingMessage) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Forwards creates unchanged to the first entrance, because only that server can record the owner of a session. It reads
 * the credentials in the body. Credentials in headers have no effect on a create and are not forwarded. The body is read
 * completely before a connection to the first entrance is used, so that slow clients do not occupy connections.
 */
export function wholeCreates(options: WholeCreateOptions): Upstream['request'] {
  const creates = new WholeCreates(options);
  return (req, res) => void creates.handle(req, res);
}

class WholeCreates {
  readonly #options: WholeCreateOptions;
  readonly #responses = new GateResponses(false);
  readonly #failures: ReturnType<typeof failureLines>;
  readonly #warnings: ReturnType<typeof refusalLines>;
  readonly #turns = new CommandTurns(TURNS);

  constructor(options: WholeCreateOptions) {
    this.#options = options;
    this.#failures = failureLines(options.log, options.clock);
    this.#warnings = refusalLines(options.log, options.clock);
  }

  /** Never rejects. */
  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { budget, limits } = this.#options;
    const share = budget.open();
    res.once('close', share.release);
    try {
      const body = await readCreate(req, limits, share);
      if (!res.destroyed) this.#send(req, res, sentOnce(body, share));
    } catch (error) {
      share.release();
      if (!(error instanceof ClientGone)) this.#failed(req, res, error);
    }
  }

  #send(req: IncomingMessage, res: ServerResponse, body: SentBody): void {
    const { basePath, url, addressOf, isHttps } = this.#options;
    const headers = {
      ...forwardedHeaders(req.headers, {}),
      'content-length': String(body.size),
      // The first entrance writes this server's address into the socket addresses of the response.
      host: req.headers.host ?? '',
      'x-forwarded-for': addressOf(req),
      'x-forwarded-proto': isHttps(req) ? 'https' : 'http',
    };
    const pool = this.#options.pool();
    const place: RemotePlace = {
      name: 'the first entrance',
      url,
      connection: {},
      pool,
      credentials: () => ({}),
      passes: isForClient,
      answered: () => undefined,
    };
    const failed = (error: unknown): void => this.#failed(req, res, error);
    const turns = this.#turns;
    const start = (): void =>
      pool.dispatch(
        { method: 'POST', path: `${basePath}/session`, headers, body: body.chunks },
        new Relay({ req, res, id: null, place, failed, turns, turn: TURN }),
      );
    turns.take(TURN, res, start, failed);
  }

  #failed(req: IncomingMessage, res: ServerResponse, error: unknown): void {
    if (res.destroyed) return;
    const [sender, requestId] = [this.#options.addressOf(req), requestIdOf(req)];
    if (error instanceof WebDriverError) {
      this.#warnings.write(sender, `Session create refused: ${error.message}`, { request: requestId });
      this.#responses.error(req, res, error, requestId);
      return;
    }
    const message = error instanceof NoTurn ? error.message : 'the first entrance did not answer';
    this.#failures.write(sender, 'A session create was not answered by the first entrance', {
      cause: causeOf(error),
    });
    if (res.headersSent) res.destroy();
    else this.#responses.error(req, res, notCreated(message, 503), requestId);
  }
}

interface SentBody {
  readonly size: number;
  /** For undici, which takes any iterable though its types do not say so. */
  readonly chunks: Readable;
}

/**
 * A body that is dropped once it is written to the connection. Undici would hold a buffer until the answer is complete,
 * and a create can wait minutes for its answer.
 */
function sentOnce(body: Buffer, share: CreateShare): SentBody {
  async function* chunks(): AsyncGenerator<Buffer> {
    yield body;
    share.release();
  }
  return { size: body.length, chunks: chunks() as unknown as Readable };
}
