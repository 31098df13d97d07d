import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import {
  type Admission,
  ClientLeft,
  NO_PATIENCE,
  type Patience,
  type Reservation,
  RightLost,
  readCredentials,
  stripCredentials,
} from '@svc/device-lab';
import type { BoundedLines } from '@svc/module';
import { noteWait, waitOf } from './access-lines.ts';
import type { SessionAdmission } from './admission.ts';
import { onlyBasicOf } from './command-check.ts';
import { ClientGone, type CreateLimits, readCreate, readJsonBody } from './create-body.ts';
import type { CreateBudget } from './create-budget.ts';
import { type Forwarding, hideBody } from './forward.ts';
import type { CreateTarget } from './handlers.ts';
import type { LoneCredentials } from './lone-credentials.ts';
import { type FromHub, hubTokenOf } from './nodes/from-hub.ts';
import type { GateRecords } from './records.ts';
import type { CreatePlaces } from './remote/create-places.ts';
import type { GateOrigin, OriginOf } from './request-origin.ts';
import { type GateResponses, notCreated, WebDriverError } from './responses.ts';
import type { RequestTracing } from './tracing.ts';

interface CreateOptions {
  readonly admission: SessionAdmission;
  /** Warns about clients that will not send credentials with commands; null if commands are not checked. */
  readonly loneCredentials: LoneCredentials | null;
  readonly responses: GateResponses;
  readonly forwarding: Forwarding;
  readonly failures: Pick<BoundedLines, 'write'>;
  readonly originOf: OriginOf;
  readonly limits: CreateLimits;
  /** Limits the memory that bodies of requests take before their senders are admitted. */
  readonly budget: CreateBudget;
  /**
   * Records sessions that were created on other servers, and create-session requests that got an error from the gate.
   */
  readonly records: Pick<GateRecords, 'sessionCreated' | 'createFailed'>;
  /**
   * Connections on which this server sends itself create-session requests for the start-up check. Absent if there is no
   * such check.
   */
  readonly probes?: Probes;
  /**
   * Exempts connections of this node's hub from the limit of connections per address. Null or absent if this server is
   * not a node.
   */
  readonly fromHub?: Pick<FromHub, 'stopCounting'> | null;
  readonly places: CreatePlaces;
  readonly clock: Clock;
  /** Traces create-session requests; null if they are not traced. */
  readonly tracing: RequestTracing | null;
}

/**
 * Connections that this process has made to itself for the start-up check. A create-session request on one of them
 * needs no credentials, and is marked so that it does not become a session. A connection is recognized by its socket
 * object, so a client cannot imitate it.
 */
export type Probes = WeakSet<object>;

interface Admitted {
  readonly body: Record<string, unknown>;
  readonly admitted: Admission | null;
}

/** Admitted create-session request, for which the lab decides where it runs. */
interface ToPlace {
  readonly body: Record<string, unknown>;
  readonly admission: Admission;
  readonly from: GateOrigin;
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal;
}

type WithBody = IncomingMessage & { body?: unknown };

/**
 * Removes the credentials from each create-session request and checks them, before the automation server reads or logs
 * the body.
 */
export class CreateGate {
  readonly #options: CreateOptions;

  constructor(options: CreateOptions) {
    this.#options = options;
  }

  async handle(req: IncomingMessage, res: ServerResponse, target: CreateTarget): Promise<void> {
    const from = this.#options.originOf(req);
    try {
      await (target.kind === 'create'
        ? this.#create(req, res, target, from)
        : this.#misroutedCreate(req, res, target));
    } catch (error) {
      if (error instanceof ClientGone) return;
      const answer = this.#answerTo(error, from);
      this.#options.records.createFailed(answer, null, from);
      this.#options.responses.error(req, res, answer, from.requestId);
    }
  }

  async #create(req: WithBody, res: ServerResponse, target: CreateTarget, from: GateOrigin): Promise<void> {
    const began = performance.now();
    const { body, admitted } = await this.#admit(req, from);
    req.body = body;
    if (admitted === null) {
      this.#options.forwarding.request(req, res, target, null, { kind: 'probe' });
      return;
    }
    if (admitted.fromHub !== undefined) this.#options.fromHub?.stopCounting(req);
    const gone = goneOf(res);
    if (gone.aborted) return;
    // Set the request id also for the case that the automation server sends the response. If it refuses the request,
    // the client can then find the reason with this id at `GET /explain`.
    res.setHeader(HEADERS.requestId, from.requestId);
    this.#options.tracing?.create(req, res, from, began);
    const place = await this.#placeOf(req, res, { body, admission: admitted, from, gone });
    if (place === 'answered') return;
    if (gone.aborted) {
      place?.abandon();
      return;
    }
    // Release the device when the response is closed. This has an effect only if the automation server has refused the
    // request before it used the reservation.
    gone.addEventListener('abort', () => place?.abandon(), { once: true });
    const context = { kind: 'create', admission: admitted, from, gone } as const;
    this.#options.forwarding.request(req, res, target, admitted.caller, {
      ...context,
      ...(place === null ? {} : { reservation: place }),
    });
  }

  /**
   * Reads the body, removes its credentials and checks them.
   *
   * @returns the body and the admission, which is null for the create-session request of the start-up check
   */
  async #admit(req: IncomingMessage, from: GateOrigin): Promise<Admitted> {
    const { budget, limits, probes, admission, loneCredentials, fromHub } = this.#options;
    const share = budget.open();
    try {
      const body = await readJsonBody(req, limits, share);
      const taken = readCredentials(body.capabilities);
      stripCredentials(body);
      if (probes?.has(req.socket)) return { body, admitted: null };
      const { pair, sessionToken } = taken.credentials;
      const isInBody = pair !== null || sessionToken !== null;
      const admitted = await admission.admit(taken, from, {
        hubToken: fromHub == null ? undefined : hubTokenOf(req),
        basic: isInBody ? undefined : onlyBasicOf(req),
      });
      if (isInBody && admitted.caller !== null) loneCredentials?.admitted(req.headers, admitted.caller, from);
      return { body, admitted };
    } finally {
      share.release();
    }
  }

  /**
   * Decides on which server the create-session request runs. If that is another server, also runs the request there.
   * @returns `answered` if the client already has a response or has disconnected. For a session on this server, returns
   * the reservation of its device, or null if the Appium plugin reserves the device later.
   */
  async #placeOf(
    req: IncomingMessage,
    res: ServerResponse,
    { body, admission, from, gone }: ToPlace,
  ): Promise<Reservation | 'answered' | null> {
    const { places, records, responses, clock } = this.#options;
    const { caller, queueSeconds = 0 } = admission;
    // The request may wait so long, until its client disconnects (contract 13).
    const until = clock.now() + queueSeconds * 1_000;
    const patience: Patience =
      queueSeconds === 0 ? NO_PATIENCE : { until, gone, waited: (ms) => noteWait(req, ms) };
    try {
      const place = await places.place(req, body, admission, patience, gone);
      if (place === null || !('answer' in place)) return place;
      if (!place.isRepeated) records.sessionCreated(place.id, { ownerId: place.ownerId, caller }, from);
      responses.created(res, place.answer);
    } catch (error) {
      if (error instanceof ClientLeft) return 'answered';
      const answer = this.#answerTo(error, from);
      records.createFailed(answer, caller, from, waitOf(req));
      responses.error(req, res, answer, from.requestId);
    }
    return 'answered';
  }

  /**
   * Forwards a create-session request with a wrong path, but without its body, so that Appium cannot log credentials in
   * the body. Appium then responds that it has no such route.
   */
  async #misroutedCreate(req: WithBody, res: ServerResponse, target: CreateTarget): Promise<void> {
    await readCreate(req, this.#options.limits);
    if (res.destroyed) return;
    req.body = {};
    hideBody(req);
    this.#options.forwarding.request(req, res, target, null);
  }

  #answerTo(error: unknown, from: GateOrigin): WebDriverError {
    if (error instanceof WebDriverError) return error;
    if (error instanceof RightLost)
      return this.#options.admission.lostRight(error.caller, error.message, from);
    const { sender, requestId } = from;
    this.#options.failures.write(sender, 'A create-session request failed in the gate', {
      cause: String(error),
      request: requestId,
    });
    return notCreated('the session could not be created');
  }
}

/** Returns a signal that is aborted when the response is closed, which also happens when its client disconnects. */
function goneOf(res: ServerResponse): AbortSignal {
  if (res.destroyed) return AbortSignal.abort();
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return gone.signal;
}
