import type { IncomingMessage, ServerResponse } from 'node:http';
import { mayHaveBody } from './body.ts';
import { type CreateLimits, readCreate } from './create-body.ts';
import { hideBody } from './forward.ts';
import type { OriginOf } from './request-origin.ts';
import { type GateResponses, WebDriverError } from './responses.ts';

interface UnauthenticatedBodyOptions {
  readonly limits: CreateLimits;
  readonly responses: GateResponses;
  readonly originOf: OriginOf;
}

type WithBody = IncomingMessage & { body?: unknown };

/**
 * Discards the bodies of requests that need no credentials while commands are checked, such as requests for Appium's
 * status and CORS preflights. Otherwise, Appium would read and parse a body of up to 1 GB from any client before it
 * routes the request.
 */
export class UnauthenticatedBodies {
  readonly #options: UnauthenticatedBodyOptions;

  constructor(options: UnauthenticatedBodyOptions) {
    this.#options = options;
  }

  /** Discards the body, if there is one, and then calls `pass`. Refuses a body that is too large or too slow. */
  discard(req: WithBody, res: ServerResponse, pass: () => void): void {
    if (!mayHaveBody(req)) {
      pass();
      return;
    }
    const { limits, responses, originOf } = this.#options;
    readCreate(req, limits).then(
      () => {
        if (res.destroyed) return;
        req.body = {};
        hideBody(req);
        pass();
      },
      (error: unknown) => {
        if (error instanceof WebDriverError) responses.error(req, res, error, originOf(req).requestId);
      },
    );
  }
}
