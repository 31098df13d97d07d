import type { IncomingMessage, ServerResponse } from 'node:http';
import { mayHaveBody } from './body.ts';
import { type CreateLimits, discardCreate } from './create-body.ts';
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
 * Discards the bodies of requests that unauthenticated clients may send to the automation server while commands are
 * checked: for its status, preflights and lists. None of these has a body, but Appium would read and parse up to 1 GB of
 * one before it routes the request.
 */
export class UnauthenticatedBodies {
  readonly #options: UnauthenticatedBodyOptions;

  constructor(options: UnauthenticatedBodyOptions) {
    this.#options = options;
  }

  /** Calls `pass` after the body is discarded, or immediately if there is none. Refuses a body beyond the limits. */
  discard(req: WithBody, res: ServerResponse, pass: () => void): void {
    if (!mayHaveBody(req)) {
      pass();
      return;
    }
    const { limits, responses, originOf } = this.#options;
    discardCreate(req, limits).then(
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
