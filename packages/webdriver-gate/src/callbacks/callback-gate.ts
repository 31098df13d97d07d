import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Forwarding } from '../forward.ts';
import type { ReportRefusal } from '../refusals.ts';
import type { OriginOf } from '../request-origin.ts';
import type { GateResponses } from '../responses.ts';
import type { Target, Targets } from '../target.ts';
import type { CallbackAddresses } from './callback-addresses.ts';

interface CallbackRefusalOptions {
  readonly targets: Targets;
  readonly report: ReportRefusal;
  readonly responses: GateResponses;
  readonly originOf: OriginOf;
}

interface CallbackGateOptions extends CallbackRefusalOptions {
  readonly addresses: Pick<CallbackAddresses, 'find'>;
  readonly forwarding: Forwarding;
}

type CallbackTarget = Extract<Target, { kind: 'callback' }>;

/**
 * Handles requests to callback addresses, which are private addresses for drivers and plugins. Forwards commands of the
 * session for which the address was opened, and reads of the server's status, which are public anyway. Refuses
 * everything else.
 */
export class CallbackGate {
  readonly #options: CallbackGateOptions;
  readonly #refusals: CallbackRefusals;

  constructor(options: CallbackGateOptions) {
    this.#options = options;
    this.#refusals = new CallbackRefusals(options);
  }

  handle(req: IncomingMessage, res: ServerResponse, called: CallbackTarget): void {
    const { addresses, targets, forwarding } = this.#options;
    const { url, secret } = called;
    const callback = addresses.find(secret);
    const target = targets.classify(url);
    if (callback === undefined) this.#refusals.refuse(req, res, called);
    else if (target.kind === 'command' && callback.sessionId === target.sessionId) {
      hideSecret(req, called);
      forwarding.request(req, res, target, callback.caller);
    } else if (target.kind === 'other' && req.method === 'GET' && targets.isStatus(target.url)) {
      hideSecret(req, called);
      forwarding.unread(req, res, target);
    } else this.#refusals.refuse(req, res, called, 'callback address of another session');
  }
}

/**
 * Refuses requests to callback addresses, which are private addresses for drivers and plugins. The response is the same
 * as for an unknown session.
 */
export class CallbackRefusals {
  readonly #options: CallbackRefusalOptions;

  constructor(options: CallbackRefusalOptions) {
    this.#options = options;
  }

  refuse(
    req: IncomingMessage,
    res: ServerResponse,
    called: CallbackTarget,
    reason = 'unknown callback address',
  ): void {
    const { targets, report, responses, originOf } = this.#options;
    hideSecret(req, called);
    const target = targets.classify(called.url);
    const sessionId = target.kind === 'command' ? target.sessionId : undefined;
    const from = originOf(req);
    report({ req, from, sessionId, caller: 'no credentials', isKnown: false, reason });
    responses.unknownSession(req, res, from.requestId);
  }
}

/** Removes the secret from the request's URL, so that neither this server nor the automation server logs it. */
function hideSecret(req: IncomingMessage, { url }: CallbackTarget): void {
  req.url = url;
}
