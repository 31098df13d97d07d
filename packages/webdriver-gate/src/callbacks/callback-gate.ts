import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Forwarding } from '../forward.ts';
import type { ReportRefusal } from '../refusals.ts';
import type { OriginOf } from '../request-origin.ts';
import type { GateResponses } from '../responses.ts';
import type { Target, Targets } from '../target.ts';
import type { CallbackAddresses } from './callback-addresses.ts';

interface CallbackGateOptions {
  /** Null if nothing behind the gate calls back. */
  readonly addresses: Pick<CallbackAddresses, 'find'> | null;
  readonly targets: Targets;
  readonly report: ReportRefusal;
  readonly responses: GateResponses;
  readonly forwarding: Forwarding;
  readonly originOf: OriginOf;
}

type CallbackTarget = Extract<Target, { kind: 'callback' }>;

/** Requests to callback addresses: a command of the address's own session is forwarded, everything else is refused. */
export class CallbackGate {
  readonly #options: CallbackGateOptions;

  constructor(options: CallbackGateOptions) {
    this.#options = options;
  }

  handle(req: IncomingMessage, res: ServerResponse, { url, secret }: CallbackTarget): void {
    const { addresses, targets, report, responses, forwarding, originOf } = this.#options;
    // From here on neither this server nor the automation server sees the secret, so none can log it.
    req.url = url;
    const callback = addresses?.find(secret);
    const target = targets.classify(url);
    const sessionId = target.kind === 'command' ? target.sessionId : undefined;
    if (target.kind === 'command' && callback !== undefined && callback.sessionId === sessionId) {
      forwarding.request(req, res, target, callback.caller);
      return;
    }
    const from = originOf(req);
    const reason =
      callback === undefined ? 'unknown callback address' : 'callback address of another session';
    report({ req, from, sessionId, caller: 'no credentials', isKnown: false, reason });
    responses.unknownSession(req, res, from.requestId);
  }
}
