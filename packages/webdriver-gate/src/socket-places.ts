import type { Duplex } from 'node:stream';
import type { BoundedLines } from '@svc/module';
import { printable } from './printable.ts';

/** Maximum number of open sockets of one session (contract 5). */
const SOCKETS_PER_SESSION = 32;
/**
 * Maximum number of open sockets of one account, including sockets that drivers offer outside sessions (contract 5).
 */
export const SOCKETS_PER_ACCOUNT = 128;

interface SocketHolder {
  /** Id of the session, or null for a socket that a driver offers outside sessions. */
  readonly sessionId: string | null;
  /** Id of the account that opens the socket, or null if the sender was not checked here. */
  readonly accountId: string | null;
}

/**
 * Limits the number of open sockets per session and per account. Every socket takes a connection to the automation
 * server, node or grid. Without a limit, one session could use up the connections that all sessions share.
 */
export class SocketPlaces {
  readonly #warnings: Pick<BoundedLines, 'write'>;
  readonly #ofSession = new Counts(SOCKETS_PER_SESSION);
  readonly #ofAccount = new Counts(SOCKETS_PER_ACCOUNT);

  constructor(warnings: Pick<BoundedLines, 'write'>) {
    this.#warnings = warnings;
  }

  /**
   * Counts the socket as open until it closes.
   *
   * @returns a function that stops counting the socket earlier, or null if the session or the account has too many open
   * sockets
   */
  take(socket: Duplex, { sessionId, accountId }: SocketHolder): (() => void) | null {
    // Do not count a closed socket. If its event `close` has already passed, the socket would stay counted forever.
    if (socket.destroyed) return () => undefined;
    if (!this.#ofSession.add(sessionId)) {
      this.#warn(
        `session ${printable(sessionId ?? '')} has ${SOCKETS_PER_SESSION} open sockets`,
        accountId ?? sessionId,
      );
      return null;
    }
    if (!this.#ofAccount.add(accountId)) {
      this.#ofSession.remove(sessionId);
      this.#warn(`account ${accountId} has ${SOCKETS_PER_ACCOUNT} open sockets`, accountId);
      return null;
    }
    let isTaken = true;
    const release = (): void => {
      if (!isTaken) return;
      isTaken = false;
      socket.off('close', release);
      this.#ofSession.remove(sessionId);
      this.#ofAccount.remove(accountId);
    };
    socket.once('close', release);
    return release;
  }

  #warn(reason: string, holder: string | null): void {
    this.#warnings.write(holder ?? '', `Socket refused: ${reason}`, {});
  }
}

class Counts {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Increases the count of `key`. Returns false if it has reached the maximum. A null key is not counted. */
  add(key: string | null): boolean {
    if (key === null) return true;
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#most) return false;
    this.#counts.set(key, count + 1);
    return true;
  }

  remove(key: string | null): void {
    if (key === null) return;
    const left = (this.#counts.get(key) ?? 1) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}
