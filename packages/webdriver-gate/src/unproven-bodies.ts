import type { IncomingMessage, ServerResponse } from 'node:http';
import { mayHaveBody } from './body.ts';
import { type CreateLimits, discardCreate } from './create-body.ts';
import { hideBody } from './forward.ts';
import type { OriginOf } from './request-origin.ts';
import { type GateResponses, WebDriverError } from './responses.ts';

interface UnprovenBodyOptions {
  readonly limits: CreateLimits;
  readonly responses: GateResponses;
  readonly originOf: OriginOf;
}

type WithBody = IncomingMessage & { body?: unknown };

/**
 * Bodies of what unauthenticated clients may send to the automation server while commands are checked: its status,
 * preflights, lists. Nothing there takes a body, but Appium would read and parse up to 1 GB of one before it routes the
 * request.
 */
export class UnprovenBodies {
  readonly #options: UnprovenBodyOptions;

  constructor(options: UnprovenBodyOptions) {
    this.#options = options;
  }

  /** Calls `pass` once the body is discarded, immediately if there is none. Answers a body beyond the limits. */
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
