import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuseUpgrade } from '@svc/webdriver-gate';
import type { AppiumServer, SocketServer } from './appium-types.ts';

/**
 * Largest message, in bytes, on a BiDi socket without a session. Clients can open such a socket without credentials
 * (specification 5.7.7).
 */
const LARGEST_MESSAGE = 1024 * 1024;
/** Maximum number of open BiDi sockets without a session for each client address. */
const MOST_SOCKETS = 32;

interface BidiLimits {
  readonly basePath: string;
  /** @returns the client's address, from a source that the client cannot forge */
  readonly peerOf: (req: IncomingMessage) => string;
}

/**
 * Limits the number of sockets and the size of messages of unauthenticated clients on `<base path>/bidi`. Sockets of
 * sessions are not limited. The function wraps `addWebSocketHandler`, because Appium registers its BiDi server only
 * when it starts to listen. It sets `maxPayload` at each upgrade, because `ws` reads this option at each upgrade.
 */
export function limitBidi(server: AppiumServer, { basePath, peerOf }: BidiLimits): void {
  const register = server.addWebSocketHandler.bind(server);
  const open = new OpenByPeer();
  server.addWebSocketHandler = async (path, handler) => {
    if (path === `${basePath}/bidi`) limit(handler, (req) => isWithoutSession(req, path), peerOf, open);
    await register(path, handler);
  };
}

function isWithoutSession({ url = '' }: IncomingMessage, path: string): boolean {
  return url.slice(path.length).replace(/^\/?(?:\?.*)?$/, '') === '';
}

function limit(
  bidi: SocketServer,
  isLimited: (req: IncomingMessage) => boolean,
  peerOf: BidiLimits['peerOf'],
  open: OpenByPeer,
): void {
  const upgrade = bidi.handleUpgrade.bind(bidi);
  bidi.handleUpgrade = (req, socket, head, done) => {
    if (!isLimited(req)) {
      upgrade(req, socket, head, done);
      return;
    }
    if (!open.add(peerOf(req), socket)) {
      refuseUpgrade(socket, 429);
      return;
    }
    const { maxPayload } = bidi.options;
    bidi.options.maxPayload = LARGEST_MESSAGE;
    try {
      upgrade(req, socket, head, done);
    } finally {
      bidi.options.maxPayload = maxPayload;
    }
  };
}

class OpenByPeer {
  readonly #counts = new Map<string, number>();

  /**
   * Counts a socket until it closes.
   * @returns false if the client at this address already has `MOST_SOCKETS` open sockets
   */
  add(peer: string, socket: Duplex): boolean {
    const count = this.#counts.get(peer) ?? 0;
    if (count >= MOST_SOCKETS) return false;
    this.#counts.set(peer, count + 1);
    socket.once('close', () => {
      const left = (this.#counts.get(peer) ?? 1) - 1;
      if (left > 0) this.#counts.set(peer, left);
      else this.#counts.delete(peer);
    });
    return true;
  }
}
