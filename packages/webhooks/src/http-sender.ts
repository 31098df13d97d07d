import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { WebhookFailure } from '@svc/contract';
import {
  AddressNotAllowed,
  answerLookup,
  type Destination,
  type Destinations,
  type Outbound,
} from '@svc/outbound';
import {
  type DeliveryOutcome,
  DestinationNotAllowed,
  type OutgoingDelivery,
  type WebhookSender,
} from './webhook.ts';

/**
 * Time limits of webhooks (ms): for resolving and connecting, for the whole delivery, and for the check when a webhook
 * is created.
 */
export const SENDER_LIMITS = { connectMs: 5_000, wholeMs: 15_000, checkMs: 2_000 };

/** Maximum size of a response body (bytes), after which the connection is closed. The content is not used. */
const LARGEST_RESPONSE = 64 * 1024;

/**
 * Sends webhook deliveries over HTTP/1.1. Each delivery has a separate connection to a checked address, and TLS
 * certificates are checked. Redirects are not followed, because the new address would have to be checked, too, and the
 * owner of the webhook can change its URL instead.
 */
export class HttpSender implements WebhookSender {
  readonly #destinations: Destinations;
  readonly #outbound: Outbound;
  readonly #userAgent: string;
  readonly #limits: typeof SENDER_LIMITS;
  readonly #closing = new AbortController();

  constructor(destinations: Destinations, outbound: Outbound, userAgent: string, limits = SENDER_LIMITS) {
    this.#destinations = destinations;
    this.#outbound = outbound;
    this.#userAgent = userAgent;
    this.#limits = limits;
  }

  async check(url: URL): Promise<void> {
    try {
      await this.#destinations.of(url, AbortSignal.timeout(this.#limits.checkMs));
    } catch (error) {
      // A name that cannot be resolved now is accepted, because every delivery resolves it again.
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

  /** Aborts running deliveries. */
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
      // Each delivery has a separate connection. Proxies in environment variables are ignored. The proxy in the
      // settings gets the checked address, so that the proxy does not resolve the host name again.
      ...this.#outbound.connection(url, {}, destination[0]?.address),
      lookup: pinnedTo(destination),
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': bytes.length,
        'user-agent': this.#userAgent,
      },
      // Certificates are checked even if the environment variable NODE_TLS_REJECT_UNAUTHORIZED disables the check.
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

/** Resolves with the status of the response, even if reading the body fails. */
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
    // If the receiver switches to another protocol, Node.js emits only `close`, so the request fails here.
    request.once('close', () => settle(new Error('no response')));
    request.end(body);
  });
}

/**
 * Calls `connected` when the connection is ready. A socket through a proxy is already connected, so it needs no event.
 */
function onceConnected(socket: Socket, isSecure: boolean, connected: () => void): void {
  if (!isSecure && !socket.connecting) connected();
  else socket.once(isSecure ? 'secureConnect' : 'connect', connected);
}

/**
 * Returns a look-up function that returns the checked addresses for every name, so that no name is resolved a second
 * time with another result.
 */
function pinnedTo(destination: Destination): LookupFunction {
  return (_hostname, options, found) => answerLookup(destination, options, found);
}

const CERTIFICATE = /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|HOSTNAME_MISMATCH)/;

function failureOf(error: unknown): WebhookFailure {
  if (error instanceof AddressNotAllowed) return 'destination_not_allowed';
  const { code } = error as { code?: unknown };
  return CERTIFICATE.test(String(code)) ? 'certificate_not_valid' : 'no_response';
}

/** Signal that is aborted after a time limit, or when another signal is aborted. */
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

  /** Clears the time limit. Afterwards, this signal is aborted only when the signal of the caller is aborted. */
  clear(): void {
    clearTimeout(this.#timer);
  }

  release(): void {
    this.clear();
    this.#outer.removeEventListener('abort', this.#abort);
  }
}
