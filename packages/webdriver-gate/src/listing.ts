import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CommandCheck } from './command-check.ts';
import type { Forwarding } from './forward.ts';
import type { OriginOf } from './request-origin.ts';
import { type GateResponses, UNVERIFIED } from './responses.ts';
import type { Target } from './target.ts';
import type { UnauthenticatedBodies } from './unauthenticated-bodies.ts';

interface ListingOptions {
  readonly check: CommandCheck;
  readonly responses: GateResponses;
  readonly forwarding: Forwarding;
  readonly originOf: OriginOf;
  /**
   * Discards the bodies of unauthenticated clients, so that Appium does not read them. Absent in front of a grid, where
   * this server sends the session list itself.
   */
  readonly unauthenticatedBodies?: UnauthenticatedBodies;
}

type ListingTarget = Extract<Target, { kind: 'listing' }>;

/**
 * Authenticates the sender of a request for the session list. Later, a hook of the Appium plugin removes the sessions
 * that the sender is not allowed to see (specification 5.7.8).
 */
export class ListingGate {
  readonly #options: ListingOptions;

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  async handle(req: IncomingMessage, res: ServerResponse, target: ListingTarget): Promise<void> {
    const { check, responses, forwarding, originOf, unauthenticatedBodies } = this.#options;
    const from = originOf(req);
    const caller = await check.callerOf(req, from);
    if (res.destroyed) return;
    if (caller === 'unverified') {
      responses.error(req, res, UNVERIFIED, from.requestId);
      return;
    }
    const pass = (): void => forwarding.request(req, res, target, caller, { kind: 'listing', caller });
    if (caller !== null || unauthenticatedBodies === undefined) pass();
    else unauthenticatedBodies.discard(req, res, pass);
  }
}
