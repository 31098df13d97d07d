import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { WebhookFailure } from '@svc/contract';
import {
  type DeliveryOutcome,
  DestinationNotAllowed,
  type OutgoingDelivery,
  type WebhookSender,
} from '@svc/device-lab';
import {
  AddressNotAllowed,
  answerLookup,
  type Destination,
  type Destinations,
  type Outbound,
} from '@svc/outbound';
import { VERSION } from '../runtime/resources.ts';

/** Milliseconds: finding and connecting to the receiver, and everything; how long a check at creation waits. */
export const SENDER_LIMITS = { connectMs: 5_000, wholeMs: 15_000, checkMs: 2_000 };

/** Of an answer's body; the connection is closed beyond. Its content is not used. */
const LARGEST_RESPONSE = 64 * 1024;

/**
 * Sends deliveries over HTTP/1.1: one connection each, to an address that was checked, with TLS certificates checked.
 * Redirects are not followed: a new address would have to be checked anew, and whoever moved can say so.
 */
export class HttpSender implements WebhookSender {
  readonly #destinations: Destinations;
  readonly #outbound: Outbound;
  readonly #limits: typeof SENDER_LIMITS;
  readonly #closing = new AbortController();

  constructor(destinations: Destinations, outbound: Outbound, limits = SENDER_LIMITS) {
    this.#destinations = destinations;
    this.#outbound = outbound;
    this.#limits = limits;
  }

  async check(url: URL): Promise<void> {
    try {
      await this.#destinations.of(url, AbortSignal.timeout(this.#limits.checkMs));
    } catch (error) {
      // A name that is not known yet, or a name server that is away, is no reason to refuse: every delivery asks again.
      if (error instanceof AddressNotAllowed) throw new DestinationNotAllowed();
    }
  }

  async send(delivery: OutgoingDelivery): Promise<DeliveryOutcome> {
    const url = new URL(delivery.url);
    const whole = new Deadline(this.#limits.wholeMs, this.#closing.signal);
    const connecting = new Deadline(this.#limits.connectMs, whole.signal);
    try {
      const destination = await this.#destinations.of(url, connecting.signal);
      const status = await this.#post(url, destination, delivery, connecting);
      return { status, error: null };
    } catch (error) {
      return { status: null, error: failureOf(error) };
    } finally {
      connecting.release();
      whole.release();
    }
  }

  /** Cuts what is on its way. */
  close(): void {
    this.#closing.abort();
  }

  async #post(
    url: URL,
    destination: Destination,
    { headers, body }: OutgoingDelivery,
    connecting: Deadline,
  ): Promise<number> {
    const bytes = Buffer.from(body);
    const options: RequestOptions & { readonly rejectUnauthorized: true } = {
      method: 'POST',
      // Of its own: nothing is kept open, and no proxy of the environment takes part. Our proxy is told the address that
      // was checked, and resolves nothing.
      ...this.#outbound.connection(url, {}, destination[0]?.address),
      lookup: pinnedTo(destination),
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': bytes.length,
        'user-agent': `svc/${VERSION}`,
      },
      // Also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
      rejectUnauthorized: true,
    };
    const isSecure = url.protocol === 'https:';
    const request = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
    request.once('socket', (socket) => onceConnected(socket, isSecure, () => connecting.clear()));
    const cut = () => void request.destroy(new Error('too late'));
    connecting.signal.addEventListener('abort', cut);
    if (connecting.signal.aborted) cut();
    try {
      return await statusOf(request, bytes);
    } finally {
      request.destroy();
    }
  }
}

/** Resolves once the answer is there, or as much of it as is read: its status counts, however its body ends. */
function statusOf(request: ClientRequest, body: Buffer): Promise<number> {
  return new Promise((answered, failed) => {
    let status: number | undefined;
    const settle = (error: Error) => (status === undefined ? failed(error) : answered(status));
    request.once('response', (response) => {
      status = response.statusCode as number;
      let read = 0;
      response.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > LARGEST_RESPONSE) settle(new Error('too long'));
      });
      response.on('error', settle);
      response.once('end', settle);
    });
    request.on('error', settle);
    // Also where the receiver wants another protocol.
    request.once('close', () => settle(new Error('no response')));
    request.end(body);
  });
}

/** Through a proxy, it is connected when it comes. */
function onceConnected(socket: Socket, isSecure: boolean, connected: () => void): void {
  if (!isSecure && !socket.connecting) connected();
  else socket.once(isSecure ? 'secureConnect' : 'connect', connected);
}

/** Whatever is asked for, the checked addresses: nothing is resolved a second time. */
function pinnedTo(destination: Destination): LookupFunction {
  return (_hostname, options, found) => answerLookup(destination, options, found);
}

const CERTIFICATE = /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|HOSTNAME_MISMATCH)/;

function failureOf(error: unknown): WebhookFailure {
  if (error instanceof AddressNotAllowed) return 'destination_not_allowed';
  const { code } = error as { code?: unknown };
  return CERTIFICATE.test(String(code)) ? 'certificate_not_valid' : 'no_response';
}

/** Aborts after so many milliseconds, or when another signal does. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal;
  readonly #abort = () => this.#controller.abort(new Error('too late'));

  constructor(ms: number, outer: AbortSignal) {
    this.#outer = outer;
    this.#timer = setTimeout(this.#abort, ms);
    if (outer.aborted) this.#abort();
    else outer.addEventListener('abort', this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time is no limit any more; the other signal still is. */
  clear(): void {
    clearTimeout(this.#timer);
  }

  release(): void {
    this.clear();
    this.#outer.removeEventListener('abort', this.#abort);
  }
}
