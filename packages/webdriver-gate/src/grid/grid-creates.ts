import type { IncomingMessage } from 'node:http';
import type { Log } from '@svc/auth-core';
import type { Admission, DeviceLab, StartSession } from '@svc/device-lab';
import { asWebDriverError } from '../create-errors.ts';
import { socketAddress } from '../remote/address-here.ts';
import type { RemoteAnswer } from '../remote/ask.ts';
import { isUntouched } from '../remote/connection-pool.ts';
import type { CreatePlaces, RemoteCreated } from '../remote/create-places.ts';
import { createdIn, createHeaders, refusalIn } from '../remote/created.ts';
import { notCreated, WebDriverError } from '../responses.ts';
import { atEntrance } from './grid-addresses.ts';
import type { GridClient } from './grid-client.ts';
import type { GridSessions } from './grid-sessions.ts';

export interface GridCreateOptions {
  readonly client: GridClient;
  readonly sessions: GridSessions;
  readonly lab: DeviceLab;
  /** Of this server. */
  readonly basePath: string;
  /** Whether the client reached this server by TLS. */
  readonly isHttps: (req: IncomingMessage) => boolean;
  readonly log: Log;
}

/** Creates that run in the grid: the lab's own steps, with another start. The grid picks the device. */
export class GridCreates implements CreatePlaces {
  readonly #options: GridCreateOptions;

  constructor(options: GridCreateOptions) {
    this.#options = options;
  }

  async place(
    req: IncomingMessage,
    body: Readonly<Record<string, unknown>>,
    admission: Admission,
  ): Promise<RemoteCreated> {
    const { client, sessions, lab } = this.#options;
    let answer: RemoteAnswer | undefined;
    const start: StartSession = async () => {
      answer = await client.create(body, createHeaders(req));
      const created = createdIn(answer);
      if (created === null) return null;
      // An id of another session would give its commands another owner.
      if (lab.sessions.byId(created.id) !== undefined) throw new Error('the grid gave an id that is in use');
      return sessions.started(created.id, created.capabilities);
    };
    try {
      const reservation = lab.reservePlace(client.name);
      const record = await lab.createSession(admission, body.capabilities, start, reservation);
      if (record === null) throw refusalIn('the grid', answer);
      return {
        id: record.id,
        ownerId: record.ownerId,
        answer: this.#answerTo(req, record.id, answer as RemoteAnswer),
      };
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  #errorOf(error: unknown): unknown {
    const answer = asWebDriverError(error);
    if (answer instanceof WebDriverError) return answer;
    this.#options.log.warn('A session could not be created in the grid', { cause: String(error) });
    return notCreated(
      isUntouched(error) ? 'the grid cannot be reached' : 'the grid did not answer with a session',
      503,
    );
  }

  /** The grid's answer, with the addresses of its sockets at this server. */
  #answerTo(req: IncomingMessage, id: string, { body }: RemoteAnswer): string {
    const { client, basePath, isHttps } = this.#options;
    const { value } = body as { value: { capabilities: Record<string, unknown> } };
    const here = `${socketAddress(req, isHttps)}${basePath}`;
    const addresses = { id, here, basePath: client.address.basePath };
    return JSON.stringify({ value: { ...value, capabilities: atEntrance(value.capabilities, addresses) } });
  }
}
