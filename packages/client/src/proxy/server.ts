import { Agent, createServer, type IncomingMessage, type Server, type ServerOptions } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { isWebSocketUpgrade } from '@svc/outbound/forward';
import { serviceOrigin } from '../address.ts';
import type { CreateCredentials } from '../capabilities.ts';
import type { CommandHeaders } from '../command-headers.ts';
import { admit } from './admission.ts';
import { answerPreflight, corsHeaders, isPreflight } from './cors.ts';
import { forward, refuse } from './forward.ts';
import { refuseUpgrade, tunnel } from './upgrade.ts';
import type { Upstream } from './upstream.ts';

export interface ProxyOptions {
  /** Scheme, host and port of the service to which the proxy forwards. */
  readonly to: string;
  /** Credential headers to add to requests. If their token is renewed, stop the renewals after closing the proxy. */
  readonly headers: CommandHeaders;
  /**
   * Credential headers for the WebSockets of sessions, such as BiDi; `headers` by default. The service closes a
   * WebSocket when the credential that opened it expires (contract 7), so with a key pair here it stays open for longer
   * than with a bearer token.
   */
  readonly socketHeaders?: CommandHeaders;
  /**
   * Credentials to put into `svc:options` of every W3C create-session request, replacing those of the client. If
   * absent, the capabilities are forwarded unchanged.
   */
  readonly createCredentials?: CreateCredentials;
  /** Loopback address to listen on, `127.0.0.1` by default; other addresses are refused. */
  readonly host?: string;
  /** Port to listen on; 0, the default, means any free port. */
  readonly port?: number;
  /** Origins, besides the proxy's own, whose web pages may use the proxy. */
  readonly allowedOrigins?: readonly string[];
}

export interface RunningProxy {
  /** Scheme, host and port of the proxy, to configure in the WebDriver tool. */
  readonly url: string;
  /**
   * Closes the proxy. Waits at most `graceMs` (3 s by default) for responses in progress and then closes their
   * connections.
   */
  close(graceMs?: number): Promise<void>;
}

const LOOPBACK_HOSTS = ['127.0.0.1', '::1'];
const GRACE_MS = 3_000;

/** Starts a reverse proxy on the loopback address that adds the credential to every request for the service. */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const { host = '127.0.0.1', port = 0, allowedOrigins = [], createCredentials } = options;
  // Any program that reaches the proxy acts with its credential, so other machines must not reach it.
  if (!LOOPBACK_HOSTS.includes(host)) throw new TypeError('The proxy listens on 127.0.0.1 or ::1 only');
  const origin = new URL(serviceOrigin(options.to));
  const agent =
    origin.protocol === 'https:' ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const upstream: Upstream = {
    origin,
    headers: options.headers,
    socketHeaders: options.socketHeaders ?? options.headers,
    agent,
    ...(createCredentials === undefined ? {} : { createCredentials }),
  };
  const sockets = new Set<Duplex>();
  const server = serve(upstream, allowedOrigins, sockets);
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, host, listening);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: (graceMs = GRACE_MS) => close(server, sockets, agent, graceMs),
  };
}

function serve(upstream: Upstream, allowedOrigins: readonly string[], sockets: Set<Duplex>): Server {
  const options: ServerOptions & { shouldUpgradeCallback: (request: IncomingMessage) => boolean } = {
    // The usual limits against slow clients are off: only programs on this machine can connect, and on Node 20 these
    // limits would close an open WebSocket.
    requestTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: 0,
    shouldUpgradeCallback: isWebSocketUpgrade,
  };
  const server = createServer(options, (request, response) => {
    const admission = admit(request, allowedOrigins);
    if (admission.kind === 'refuse') return refuse(response, admission.status, admission.why);
    const cors = corsHeaders(request, allowedOrigins);
    if (cors.length > 0 && isPreflight(request)) answerPreflight(request, response, cors);
    else void forward(upstream, request, response, admission.path, cors);
  });
  server.on('upgrade', (request, socket, head) => {
    if (!isWebSocketUpgrade(request)) return asOrdinary(server, request, socket, head);
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    const admission = admit(request, allowedOrigins);
    if (admission.kind === 'refuse') refuseUpgrade(socket, admission.status, admission.why);
    else void tunnel(upstream, request, socket, head, admission.path);
  });
  return server;
}

/**
 * Handles an upgrade to a protocol other than WebSocket as an ordinary request, because Java's HTTP client sends
 * `Upgrade: h2c` (an offer of HTTP/2) with ordinary requests. Needed only for Node releases without
 * `shouldUpgradeCallback`, which stop parsing the connection at every upgrade. This function puts the request back into
 * the socket without the upgrade headers. It then gives the socket to the server as a new connection, so that the
 * server parses the request again.
 */
function asOrdinary(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] as string;
    if (/^(?:upgrade|connection|http2-settings)$/i.test(name)) continue;
    lines.push(`${name}: ${request.rawHeaders[index + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

async function close(server: Server, sockets: Set<Duplex>, agent: Agent, graceMs: number): Promise<void> {
  const closed = new Promise((done) => server.close(done));
  for (const socket of sockets) socket.destroy();
  // A connection that becomes idle after its response would keep the server from closing. Node has no event for this
  // moment, so an interval closes idle connections.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
  agent.destroy();
}
