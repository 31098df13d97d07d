import type { IncomingMessage } from 'node:http';
import type { Log } from '@svc/auth-core';
import {
  type Admission,
  ClientLeft,
  type DeviceLab,
  NO_PATIENCE,
  type Patience,
  type Reservation,
  type StartResult,
} from '@svc/device-lab';
import { isUntouched, type RemoteAnswer } from '@svc/outbound';
import { asWebDriverError } from '../create-errors.ts';
import { socketAddress } from '../remote/address-here.ts';
import type { CreatePlaces, RemoteCreated } from '../remote/create-places.ts';
import { createdIn, createHeaders, refusalIn } from '../remote/created.ts';
import { notCreated, WebDriverError } from '../responses.ts';
import { AbandonedCreates } from './abandoned-creates.ts';
import { atEntrance } from './grid-addresses.ts';
import type { GridClient } from './grid-client.ts';
import type { GridSessions } from './grid-sessions.ts';
import type { SignedSessionIds } from './session-ids.ts';

export interface GridCreateOptions {
  readonly client: GridClient;
  readonly sessions: GridSessions;
  readonly lab: DeviceLab;
  /** Base path of this server. */
  readonly basePath: string;
  /** Returns whether the client reached this server over TLS. */
  readonly isHttps: (req: IncomingMessage) => boolean;
  readonly log: Log;
  /**
   * Signs the session ids that clients get. With a signed id, a server of this grid that has no database can check who
   * owns the session. Null if clients get the grid's own ids.
   */
  readonly ids: Pick<SignedSessionIds, 'sign'> | null;
}

const IN_USE = 'the grid gave an id that is in use';

/** A create-session request for the grid, with the owner of the session to create. */
interface InGrid {
  readonly body: Readonly<Record<string, unknown>>;
  readonly ownerId: string | null;
  /** Aborted when this server stops waiting for the grid's response. */
  readonly signal: AbortSignal;
}

/**
 * Runs create-session requests in the grid. The device lab treats them like other create-session requests, except that
 * the grid picks the device.
 */
export class GridCreates implements CreatePlaces {
  readonly #options: GridCreateOptions;
  readonly #abandoned = new AbandonedCreates();

  constructor(options: GridCreateOptions) {
    this.#options = options;
  }

  async place(
    req: IncomingMessage,
    body: Readonly<Record<string, unknown>>,
    admission: Admission,
    patience: Patience = NO_PATIENCE,
    gone?: AbortSignal,
  ): Promise<RemoteCreated> {
    const { lab } = this.#options;
    const ownerId = admission.caller?.account.id ?? null;
    const reservation = await this.#place(admission, patience);
    const { signal, over } = this.#abandoned.follow(req);
    const start = () => this.#start(req, { body, ownerId, signal });
    try {
      const outcome = await lab.creates.createSession(admission, body.capabilities, start, {
        reserved: reservation,
        gone,
      });
      if ('refused' in outcome) throw refusalIn('the grid', outcome.refused);
      const { session, answer } = outcome;
      return { id: session.id, ownerId: session.ownerId, answer: JSON.stringify(answer.body) };
    } catch (error) {
      throw this.#errorOf(error);
    } finally {
      over();
    }
  }

  /**
   * Reserves one of the sessions that the session limit allows, but no device, because the grid has its own queue for
   * devices.
   */
  async #place(admission: Admission, patience: Patience): Promise<Reservation> {
    const { client, lab } = this.#options;
    try {
      const reservation = await lab.creates.reservePlaceInTurn(client.name, admission, patience);
      if (!patience.gone?.aborted) return reservation;
      reservation.cancel();
    } catch (error) {
      throw asWebDriverError(error);
    }
    throw new ClientLeft();
  }

  /**
   * Sends the create-session request to the grid. In the response, replaces the session id with the id for the client,
   * and the addresses of WebSockets with those of this server.
   */
  async #start(req: IncomingMessage, { body, ownerId, signal }: InGrid): Promise<StartResult<RemoteAnswer>> {
    const { client, sessions } = this.#options;
    const answer = await client.create(body, createHeaders(req), signal);
    const created = createdIn(answer);
    if (created === null) return { refused: answer };
    const id = await this.#idOf(req, created.id, ownerId);
    const capabilities = this.#atEntrance(req, id, created.capabilities);
    return { started: sessions.started(id, capabilities), answer: answerWith(answer, id, capabilities) };
  }

  /**
   * Returns the session id for the client. Throws if the id that the grid chose is in use, or if the client has
   * disconnected. Before that, ends the new session at the grid, unless a running session has the same id.
   */
  async #idOf({ socket }: IncomingMessage, gridId: string, ownerId: string | null): Promise<string> {
    const { ids, sessions, client, lab } = this.#options;
    // Refuse an id that a running session has. Otherwise, the owner of that session could also control this one.
    if (sessions.runs(gridId)) throw new Error(IN_USE);
    try {
      if (lab.sessions.byId(gridId) !== undefined) throw new Error(IN_USE);
      // The client may have disconnected while the create-session request waited in the grid's queue.
      if (socket.destroyed) throw notCreated('the client disconnected');
      return ids === null ? gridId : ids.sign(gridId, ownerId);
    } catch (error) {
      await client.endSession(gridId);
      throw error;
    }
  }

  #errorOf(error: unknown): unknown {
    const answer = asWebDriverError(error);
    if (answer instanceof WebDriverError) return answer;
    this.#options.log.warn('A session could not be created in the grid', { cause: String(error) });
    return notCreated(
      isUntouched(error) ? 'the grid cannot be reached' : 'the response of the grid contained no session',
      503,
    );
  }

  /** @returns the capabilities, in which addresses of the grid's WebSockets are replaced by addresses of this server */
  #atEntrance(
    req: IncomingMessage,
    id: string,
    capabilities: Readonly<Record<string, unknown>>,
  ): Record<string, unknown> {
    const { client, basePath, isHttps } = this.#options;
    const here = `${socketAddress(req, isHttps)}${basePath}`;
    return atEntrance(capabilities, { id, here, basePath: client.address.basePath });
  }
}

function answerWith({ status, body }: RemoteAnswer, sessionId: string, capabilities: object): RemoteAnswer {
  const { value } = body as { value: object };
  return { status, body: { value: { ...value, sessionId, capabilities } } };
}
