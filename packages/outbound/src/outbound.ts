import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { Destinations } from './destinations/destinations.ts';
import { NotConnected } from './not-connected.ts';

/** Options for Node's `request` and for `ws` that decide how the connection is made. */
export type Connection = Pick<RequestOptions, 'agent' | 'createConnection' | 'defaultPort' | 'lookup'> &
  ServerTls;

/** TLS options for checking the certificate of a server. */
export type ServerTls = Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'>;

/** Checks that a server must pass before anything is sent to it. */
export interface ServerRules extends ServerTls {
  /** Decides for each new connection which addresses of the server are allowed. If absent, all are allowed. */
  readonly destinations?: Destinations;
}

/** The parts of an HTTP proxy's address that a connection needs. */
export interface ProxyAddress {
  /** Complete URL of the proxy, including user and password, which are secret. */
  readonly url: string;
  /** Whether the connection to the proxy uses TLS. */
  readonly isSecure: boolean;
  /** Host name or IP address; an IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  /** Value of the `Proxy-Authorization` header, which is a secret, or null if the proxy requires none. */
  readonly authorization: string | null;
}

const CONNECT_MS = 5_000;

/**
 * Connects to other servers, either directly or through a `CONNECT` tunnel of the proxy in `SVC_PROXY` (specification
 * 9.2, release 2.16). Loopback addresses are always reached directly. The proxy resolves the host names, unless this
 * class gives it an address that was already checked.
 */
export class Outbound {
  readonly #proxy: ProxyAddress | null;

  constructor(proxy: ProxyAddress | null) {
    this.#proxy = proxy;
  }

  /** Returns the proxy to use for a host, or null to connect directly. */
  proxyFor(hostname: string): ProxyAddress | null {
    return isLoopback(hostname) ? null : this.#proxy;
  }

  /**
   * Returns a function for undici's option `connect`, which opens connections directly or through the proxy. `build` is
   * undici's `buildConnector`. It is a parameter because undici is loaded only when it is needed.
   */
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
   * Returns options with which Node's `request` or `ws` opens a separate connection to `url` and checks the
   * certificate. `address` is an address of the host that the caller has checked. The proxy connects to this address
   * and does not resolve the host name. If the rules refuse the host, throws `AddressNotAllowed`, or the
   * request fails with this error.
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
      // Set the default port, so that Node does not add the port to the `Host` header. Usually an agent sets this
      // option, but these connections have no agent.
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

  /**
   * Connects to `target` through the proxy. If `target` is a loopback address (to which a host name was resolved),
   * connects directly, because the proxy would connect to its own machine.
   */
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

/**
 * Opens a tunnel through the proxy. Rejects with `NotConnected` if the proxy does not open the tunnel in time. The
 * error contains neither the proxy's address nor its password.
 */
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

/** Removes the brackets of an IPv6 address, because Node expects the address without them. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i.test(
    bare(hostname),
  );
}
