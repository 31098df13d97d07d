import { maskOptions } from '@svc/outbound/forward';
import type { WebSocket as Socket } from 'ws';
import type { SvcClient } from '../../rest-client.ts';
import { Questions } from './questions.ts';

/** What the lab says about a phone. */
export interface AboutPhone {
  readonly features: readonly string[];
  readonly name: string;
}

/** Names of the routes that lead to the services of a phone. */
export type PhoneRoutes =
  | { readonly ticket: 'issueAdbTicket'; readonly socket: 'openAdb' }
  | { readonly ticket: 'issueUsbTicket'; readonly socket: 'openUsb' };

/** Time (ms) for which a ticket that was requested in advance is used. The lab accepts it for 60 s. */
const TICKET_MS = 45_000;
const HANDSHAKE_MS = 15_000;
const POLICY_VIOLATION = 1008;

interface Control {
  readonly socket: Socket;
  readonly questions: Questions;
}

interface Ticket {
  readonly text: string;
  readonly at: number;
}

/**
 * Opens sockets of one phone. One socket stays open without a service and asks for tickets, because the rate limit
 * of a key pair would not allow a request for each service.
 */
export class LabSockets {
  readonly #client: SvcClient;
  readonly #routes: PhoneRoutes;
  readonly #udid: string;
  readonly #onEnd: (reason: string) => void;
  /** The socket without a service. */
  #control: Promise<Control> | undefined;
  #spare: Promise<Ticket> | undefined;
  #closed = false;

  /** @param onEnd called once when the lab ends the right to the phone, with the reason */
  constructor(client: SvcClient, routes: PhoneRoutes, udid: string, onEnd: (reason: string) => void) {
    this.#client = client;
    this.#routes = routes;
    this.#udid = udid;
    this.#onEnd = onEnd;
  }

  async about(): Promise<AboutPhone> {
    const { about, message } = await (await this.#controlSocket()).questions.ask({ about: true });
    if (typeof about !== 'object') throw new Error(String(message ?? 'the lab did not describe the phone'));
    return about as AboutPhone;
  }

  /**
   * Opens a socket and starts what the first message asks for. Rejects with the lab's reason if the lab refuses it.
   * @param opened called before the first message, so that no byte of the service is missed
   */
  async open(message: object, opened: (socket: Socket) => void): Promise<Socket> {
    const socket = await this.#connect(await this.#ticket());
    opened(socket);
    const answer = await new Questions(socket).ask(message).catch((error: unknown) => {
      socket.terminate();
      throw error;
    });
    if (answer.ok === true) return socket;
    socket.close();
    throw new Error(String(answer.message ?? 'the lab refused the service'));
  }

  close(): void {
    this.#closed = true;
    this.#control?.then(
      ({ socket }) => socket.close(),
      () => undefined,
    );
  }

  async #controlSocket(): Promise<Control> {
    this.#control ??= this.#openControl();
    try {
      return await this.#control;
    } catch (error) {
      this.#control = undefined;
      throw error;
    }
  }

  async #openControl(): Promise<Control> {
    const { ticket } = await this.#client.call(this.#routes.ticket, { params: { udid: this.#udid } });
    const socket = await this.#connect(ticket);
    socket.once('close', () => {
      this.#control = undefined;
      this.#spare = undefined;
    });
    return { socket, questions: new Questions(socket) };
  }

  async #ticket(): Promise<string> {
    const spare = this.#spare;
    this.#spare = undefined;
    const ready = await spare?.catch(() => undefined);
    const ticket = ready !== undefined && Date.now() - ready.at < TICKET_MS ? ready : await this.#newTicket();
    this.#spare ??= this.#newTicket();
    this.#spare.catch(() => undefined);
    return ticket.text;
  }

  async #newTicket(): Promise<Ticket> {
    const at = Date.now();
    const { ticket, message } = await (await this.#controlSocket()).questions.ask({ ticket: true });
    if (typeof ticket !== 'string') throw new Error(String(message ?? 'the lab issued no ticket'));
    return { text: ticket, at };
  }

  async #connect(ticket: string): Promise<Socket> {
    const { WebSocket } = await import('ws');
    const url = this.#client.socketUrl(this.#routes.socket, {
      params: { udid: this.#udid },
      query: { ticket },
    });
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_MS,
      ...maskOptions(url),
    });
    socket.once('close', (code, reason) => {
      if (code === POLICY_VIOLATION && !this.#closed) {
        this.#closed = true;
        this.#onEnd(String(reason));
      }
    });
    await new Promise<void>((done, failed) => {
      socket.once('open', done);
      socket.once('error', failed);
    });
    socket.on('error', () => undefined);
    return socket;
  }
}
