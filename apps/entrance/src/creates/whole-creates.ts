import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Clock, CommandHeaders, Log } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import { failureLines, refusalLines } from '@svc/module';
import { type ConnectionPool, causeOf } from '@svc/outbound';
import {
  type ClientFacts,
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
  onlyBasicOf,
  Relay,
  type RemotePlace,
  readCreate,
  requestIdOf,
  type TurnLimits,
  type Upstream,
  WebDriverError,
} from '@svc/webdriver-gate';

/**
 * Limits for create-session requests that are forwarded at the same time. Each may wait minutes for a phone and needs a
 * connection for that time. Requests above the limit wait here for at most two minutes, which is as long as clients
 * usually wait.
 */
const TURNS: TurnLimits = { concurrency: 256, longestWaitMs: 120_000, name: 'create-session requests' };
/** Name of the queue that all create-session requests share. */
const TURN = 'create';

/**
 * Maximum number of connections to the first entrance for create-session requests. The
 * first entrance limits the number of connections from one address, so some must be left for other requests of this
 * server.
 */
export const CREATE_CONNECTIONS = TURNS.concurrency;

interface WholeCreateOptions {
  readonly url: string;
  readonly pool: () => ConnectionPool;
  /** Base path of Appium's routes, the same on this server and on the first entrance. */
  readonly basePath: string;
  readonly limits: CreateLimits;
  /** Limits the memory for bodies. A body counts until it has been sent to the first entrance. */
  readonly budget: CreateBudget;
  readonly clients: Pick<ClientFacts, 'addressOf' | 'isHttps'>;
  /** Reads which credentials of commands a client's request has in its headers. */
  readonly commandHeaders: Pick<CommandHeaders, 'textOf'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Forwards create-session requests unchanged to the first entrance, because only that
 * server can record the owner of a session. Of the credentials in headers, only a key pair in `Authorization: Basic` is
 * forwarded, because the others do not count for a create-session request. The body is read completely before a
 * connection to the first entrance is used, so that slow clients do not occupy connections.
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

  /**
   * Reads and forwards one create-session request. Never rejects, because the client gets a response for every error.
   */
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
    const { basePath, url, clients, commandHeaders } = this.#options;
    const basic = onlyBasicOf(req);
    const headers = {
      ...forwardedHeaders(req.headers, {}),
      ...(commandHeaders.textOf(req.headers) === undefined ? {} : { [HEADERS.commandCredentials]: 'true' }),
      ...(basic === undefined ? {} : { authorization: `Basic ${basic}` }),
      'content-length': String(body.size),
      // The host with which the client reached this server. The first entrance needs it, because its response may
      // contain WebSocket addresses, which must lead to this host.
      host: req.headers.host ?? '',
      'x-forwarded-for': clients.addressOf(req),
      'x-forwarded-proto': clients.isHttps(req) ? 'https' : 'http',
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
    const [sender, requestId] = [this.#options.clients.addressOf(req), requestIdOf(req)];
    if (error instanceof WebDriverError) {
      this.#warnings.write(sender, `Session create refused: ${error.message}`, { request: requestId });
      this.#responses.error(req, res, error, requestId);
      return;
    }
    const message = error instanceof NoTurn ? error.message : 'the first entrance did not answer';
    this.#failures.write(sender, 'The first entrance did not respond to a create-session request', {
      cause: causeOf(error),
    });
    if (res.headersSent) res.destroy();
    else this.#responses.error(req, res, notCreated(message, 503), requestId);
  }
}

interface SentBody {
  readonly size: number;
  /**
   * Body in pieces. The value is an async iterable and not a stream. It has the type `Readable`, because the types of
   * undici do not list iterables, which undici also accepts.
   */
  readonly chunks: Readable;
}

/**
 * Creates a body whose memory is released once it is written to the connection. Given a buffer, undici would keep the
 * body in memory until the response is complete, which takes minutes for some create-session requests.
 */
function sentOnce(body: Buffer, share: CreateShare): SentBody {
  async function* chunks(): AsyncGenerator<Buffer> {
    yield body;
    share.release();
  }
  return { size: body.length, chunks: chunks() as unknown as Readable };
}
