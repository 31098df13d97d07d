import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { Destinations } from './destinations/destinations.ts';
import { NotConnected } from './not-connected.ts';

/** What Node's `request` and `ws` are told about the connection to make. */
export type Connection = Pick<RequestOptions, 'agent' | 'createConnection' | 'defaultPort' | 'lookup'> &
  ServerTls;

/** What is asked of the certificate of a server. */
export type ServerTls = Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'>;

/** What is asked of a server before anything is sent to it. */
export interface ServerRules extends ServerTls {
  /** Decides which addresses it may have, each time a connection is made; any if it is absent. */
  readonly destinations?: Destinations;
}

/** The parts of an HTTP proxy's address that a connection needs. */
export interface ProxyAddress {
  /** The whole address with its user and password, which is a secret. */
  readonly url: string;
  /** Whether the connection to the proxy uses TLS. */
  readonly isSecure: boolean;
  /** Host name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Value of `Proxy-Authorization`, which is a secret; null if the proxy asks for none. */
  readonly authorization: string | null;
}

const CONNECT_MS = 5_000;

/**
 * How this server reaches every other one: directly, or by a tunnel (`CONNECT`) through the proxy of `SVC_PROXY`
 * (specification 9.2 from 2.16). This machine itself is always reached directly. The proxy resolves names, unless an
 * address is given in place of one.
 */
export class Outbound {
  readonly #proxy: ProxyAddress | null;

  constructor(proxy: ProxyAddress | null) {
    this.#proxy = proxy;
  }

  /** The proxy for a host, if there is one. */
  proxyFor(hostname: string): ProxyAddress | null {
    return isLoopback(hostname) ? null : this.#proxy;
  }

  /** For undici: its `connect` option, made by its `buildConnector`. */
  connector(
    build: typeof buildConnector,
    { destinations, ...tls }: ServerRules = {},
    timeoutMs = CONNECT_MS,
  ): buildConnector.connector {
    const lookup = destinations === undefined ? {} : { lookup: destinations.lookup };
    const direct = build({ timeout: timeoutMs, ...tls, ...lookup });
    return (options, done) => {
      const failed = (error: Error): void => done(error, null);
      const proxy = this.proxyFor(options.hostname);
      if (proxy === null) {
        if (isLiteralAllowed(destinations, options.hostname, failed)) direct(options, done);
        return;
      }
      const isSecure = options.protocol === 'https:';
      const port = portOf(options.port, isSecure);
      targetFor(options.hostname, destinations)
        .then((target) => this.#reach(target, port, timeoutMs))
        .then((socket) => {
          if (isSecure) direct({ ...options, httpSocket: socket }, done);
          else done(null, socket);
        }, failed);
    };
  }

  /**
   * For Node's `request` and for `ws`: a connection of its own for a request to `url`, certificates checked. `address`:
   * what to connect to in place of its host name, which was checked. Throws `AddressNotAllowed`.
   */
  connection(url: URL, { destinations, ...tls }: ServerRules = {}, address?: string): Connection {
    const host = bare(url.hostname);
    const proxy = this.proxyFor(address ?? host);
    if (proxy === null) {
      destinations?.checkLiteral(host);
      return { agent: false, ...tls, ...(destinations === undefined ? {} : { lookup: destinations.lookup }) };
    }
    const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
    return {
      // Else it would stand in `Host` where no agent says what is usual.
      defaultPort: isSecure ? 443 : 80,
      createConnection: (_options, done) => {
        targetFor(address ?? host, destinations)
          .then((target) => this.#reach(target, portOf(url.port, isSecure), CONNECT_MS))
          .then(
            (socket) => done(null, isSecure ? secured(socket, host, tls) : socket),
            (error: Error) => done(error, undefined as never),
          );
        return undefined;
      },
    };
  }

  /** Through the proxy, unless a name turned out to be this machine. */
  #reach(target: string, port: number, timeoutMs: number): Promise<Socket> {
    const proxy = this.proxyFor(target);
    return proxy === null ? connected(target, port, timeoutMs) : tunnel(proxy, target, port, timeoutMs);
  }
}

function connected(host: string, port: number, timeoutMs: number): Promise<Socket> {
  return new Promise((opened, failed) => {
    const socket = connect({ host, port });
    const timer = setTimeout(() => socket.destroy(new NotConnected('no answer in time')), timeoutMs);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', failed);
      opened(socket);
    });
    socket.once('error', failed);
    socket.once('close', () => clearTimeout(timer));
  });
}

function isLiteralAllowed(
  destinations: Destinations | undefined,
  hostname: string,
  failed: (error: Error) => void,
): boolean {
  try {
    destinations?.checkLiteral(hostname);
    return true;
  } catch (error) {
    failed(error as Error);
    return false;
  }
}

async function targetFor(hostname: string, destinations: Destinations | undefined): Promise<string> {
  return destinations === undefined ? hostname : await destinations.throughProxy(hostname);
}

function secured(socket: Socket, host: string, tls: ServerTls): Socket {
  const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
  return connectTls({ socket, host, ...servername, ...tls, ALPNProtocols: ['http/1.1'] });
}

/** Rejects with `NotConnected`, which names neither the proxy's address nor its password. */
function tunnel(proxy: ProxyAddress, hostname: string, port: number, timeoutMs: number): Promise<Socket> {
  const authority = `${hostname.includes(':') ? `[${bare(hostname)}]` : hostname}:${port}`;
  return new Promise((opened, failed) => {
    const asking = (proxy.isSecure ? httpsRequest : httpRequest)({
      host: proxy.host,
      port: proxy.port,
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(proxy.authorization === null ? {} : { 'proxy-authorization': proxy.authorization }),
      },
      agent: false,
    });
    const timer = setTimeout(() => asking.destroy(new Error('no answer in time')), timeoutMs);
    const fail = (reason: string): void => {
      clearTimeout(timer);
      failed(new NotConnected(`the proxy did not connect to ${authority}: ${reason}`));
    };
    asking.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        fail(`status ${statusCode}`);
        return;
      }
      clearTimeout(timer);
      if (head.length > 0) socket.unshift(head);
      opened(socket);
    });
    asking.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    asking.end();
  });
}

function portOf(port: string | undefined, isSecure: boolean): number {
  return Number(port || (isSecure ? 443 : 80));
}

/** Node wants an IPv6 address without its brackets. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i.test(
    bare(hostname),
  );
}
