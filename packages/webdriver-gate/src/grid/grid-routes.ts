import type { IncomingMessage, ServerResponse } from 'node:http';
import { isOverrideAdmin } from '@svc/auth-core';
import type { AccessTrail } from '../access-trail.ts';
import type { CommandCheck } from '../command-check.ts';
import type { OriginOf } from '../request-origin.ts';
import { type GateResponses, UNAUTHENTICATED, UNVERIFIED, WebDriverError } from '../responses.ts';
import type { GridClient, GridStatus } from './grid-client.ts';

interface GridRouteOptions {
  readonly client: Pick<GridClient, 'status'>;
  readonly basePath: string;
  readonly check: CommandCheck;
  /**
   * Audit trail for refused requests. Absent on a further entrance of a grid, which is a server without a database and
   * has no audit trail.
   */
  readonly trail?: Pick<AccessTrail, 'refused'>;
  readonly responses: GateResponses;
  readonly originOf: OriginOf;
}

const NOT_ADMIN = new WebDriverError(
  403,
  'unknown error',
  "the grid's own pages are for Super admins and credentials with scope admin",
);
const NO_STATUS = new WebDriverError(503, 'unknown error', 'the grid did not answer');
/** Time (ms) for which a status of the grid answers all status requests. */
const STATUS_EVERY_MS = 1_000;

/**
 * Checks requests for routes of the grid outside sessions, such as its web pages. Only Super admins and callers with
 * the scope `admin` can use these routes, because these routes show the sessions of all accounts and can end them. This
 * also applies while commands are not checked. Other clients can only ask whether the grid is ready.
 */
export class GridRoutes {
  readonly #options: GridRouteOptions;
  #status: Promise<GridStatus> | undefined;

  constructor(options: GridRouteOptions) {
    this.#options = options;
  }

  /**
   * Calls `pass` for a Super admin and for a caller with the scope `admin`. To any other client, responds to a status
   * request with whether the grid is ready, and to any other request with an error.
   */
  async handle(req: IncomingMessage, res: ServerResponse, pass: () => void): Promise<void> {
    const { check, trail, responses, originOf, basePath } = this.#options;
    const from = originOf(req);
    const isStatus = pathOf(req) === `${basePath}/status` && (req.method === 'GET' || req.method === 'HEAD');
    const caller = await check.callerOf(req, from);
    if (res.destroyed) return;
    if (caller !== null && caller !== 'unverified' && isOverrideAdmin(caller)) {
      pass();
      return;
    }
    if (isStatus) {
      await this.#answerStatus(req, res, from.requestId);
      return;
    }
    if (caller === 'unverified') {
      responses.error(req, res, UNVERIFIED, from.requestId);
      return;
    }
    const actor = caller?.account.id ?? null;
    const reason = caller === null ? 'no valid credentials' : 'not an override admin';
    trail?.refused({ from, route: 'driver route', actor, sessionId: null, reason });
    responses.error(req, res, caller === null ? UNAUTHENTICATED : NOT_ADMIN, from.requestId);
  }

  async #answerStatus(req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> {
    const { responses } = this.#options;
    try {
      const { isReady: ready } = await this.#ask();
      const message = ready ? 'the grid is ready' : 'the grid is not ready';
      responses.value(req, res, { ready, message }, requestId);
    } catch {
      responses.error(req, res, NO_STATUS, requestId);
    }
  }

  #ask(): Promise<GridStatus> {
    if (this.#status === undefined) {
      const asking = this.#options.client.status();
      const forget = () => {
        this.#status = undefined;
      };
      asking.then(() => setTimeout(forget, STATUS_EVERY_MS).unref(), forget);
      this.#status = asking;
    }
    return this.#status;
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] as string;
}
