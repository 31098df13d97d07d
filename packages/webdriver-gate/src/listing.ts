import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CommandCheck } from './command-check.ts';
import type { Forwarding } from './forward.ts';
import type { OriginOf } from './request-origin.ts';
import { type GateResponses, UNVERIFIED } from './responses.ts';
import type { Target } from './target.ts';
import type { UnprovenBodies } from './unproven-bodies.ts';

interface ListingOptions {
  readonly check: CommandCheck;
  readonly responses: GateResponses;
  readonly forwarding: Forwarding;
  readonly originOf: OriginOf;
  /** Discards what an unauthenticated client sends to Appium; absent for a grid, which does not get the request. */
  readonly unprovenBodies?: UnprovenBodies;
}

type ListingTarget = Extract<Target, { kind: 'listing' }>;

/** The session list: who asks travels to the hook that filters it (specification 5.7.8). */
export class ListingGate {
  readonly #options: ListingOptions;

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  async handle(req: IncomingMessage, res: ServerResponse, target: ListingTarget): Promise<void> {
    const { check, responses, forwarding, originOf, unprovenBodies } = this.#options;
    const from = originOf(req);
    const caller = await check.callerOf(req, from);
    if (res.destroyed) return;
    if (caller === 'unverified') {
      responses.error(req, res, UNVERIFIED, from.requestId);
      return;
    }
    const pass = (): void => forwarding.request(req, res, target, caller, { kind: 'listing', caller });
    if (caller !== null || unprovenBodies === undefined) pass();
    else unprovenBodies.discard(req, res, pass);
  }
}
