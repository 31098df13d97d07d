import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { CreateRefused } from '../create-refused.ts';

/** Range of ports that this server may give to drivers (`SVC_DRIVER_PORTS`), both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Reserves a port on this host. Resolves to a function that ends the reservation, or to null if it is in use. */
export type HoldPort = (port: number) => Promise<(() => void) | null>;

/** Ports that one session may use, until `release` is called. Further calls of `release` have no effect. */
export interface HeldPorts {
  readonly ports: Readonly<Record<string, number>>;
  release(): void;
}

/** Capability whose driver also uses the ports behind the given one, one for each web view that it looks at. */
const SPREADING = 'webviewDevtoolsPort';
const SPREAD = 10;

/**
 * Gives ports of a range to drivers, each to one session at a time (contract 14.5). Requests take turns, so that two of
 * them cannot each take a part of the last ports and then both fail.
 */
export class DriverPorts {
  readonly #range: PortRange;
  readonly #hold: HoldPort;
  /** Ports in use by sessions of this server, with the functions that end their reservations. */
  readonly #held = new Map<number, () => void>();
  /** Ports that a driver may use in addition to the given one. They are given to others only if no other is free. */
  readonly #spread = new Map<number, number>();
  #next: number;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(range: PortRange, hold: HoldPort = holdPort) {
    this.#range = range;
    this.#hold = hold;
    this.#next = range.first;
  }

  /** Number of ports that sessions of this server have. */
  get inUse(): number {
    return this.#held.size;
  }

  /** Reserves one port for each name. Rejects with `CreateRefused`, and reserves none, if there are too few. */
  take(names: readonly string[]): Promise<HeldPorts> {
    const taken = this.#turn.then(() => this.#take(names));
    this.#turn = taken.catch(() => undefined);
    return taken;
  }

  async #take(names: readonly string[]): Promise<HeldPorts> {
    const ports: Record<string, number> = {};
    let isOver = false;
    const release = (): void => {
      if (isOver) return;
      isOver = true;
      for (const [name, port] of Object.entries(ports)) this.#giveBack(name, port);
    };
    try {
      for (const name of names) ports[name] = await this.#takeOne(name);
    } catch (error) {
      release();
      throw error;
    }
    return { ports, release };
  }

  async #takeOne(name: string): Promise<number> {
    for (const port of this.#candidates(name)) {
      if (this.#held.has(port)) continue;
      const end = await this.#hold(port);
      if (end === null) continue;
      this.#held.set(port, end);
      if (name === SPREADING) this.#markSpread(port, 1);
      else this.#next = port + 1;
      return port;
    }
    throw new CreateRefused('driver-port', 'no driver port is free');
  }

  #giveBack(name: string, port: number): void {
    this.#held.get(port)?.();
    this.#held.delete(port);
    if (name === SPREADING) this.#markSpread(port, -1);
  }

  #markSpread(port: number, change: number): void {
    for (let near = port + 1; near < port + SPREAD; near++) {
      const count = (this.#spread.get(near) ?? 0) + change;
      if (count === 0) this.#spread.delete(near);
      else this.#spread.set(near, count);
    }
  }

  /**
   * Returns the ports of the range in the order in which they are tried. Spreading drivers get ports at the end of the
   * range, in steps, and the others get the port after the one that was given last, so that a port is not given again
   * while a connection of its last session may still close.
   */
  *#candidates(name: string): Generator<number> {
    const { first, last } = this.#range;
    if (name === SPREADING) {
      for (let port = last - SPREAD + 1; port >= first; port -= SPREAD)
        if (!this.#isNearHeld(port)) yield port;
      for (let port = last; port >= first; port--) yield port;
      return;
    }
    const count = last - first + 1;
    const all = Array.from({ length: count }, (_, index) => first + ((this.#next - first + index) % count));
    yield* all.filter((port) => !this.#spread.has(port));
    yield* all.filter((port) => this.#spread.has(port));
  }

  #isNearHeld(port: number): boolean {
    for (let near = port; near < port + SPREAD; near++) if (this.#held.has(near)) return true;
    return false;
  }
}

const LOOPBACK = '127.0.0.1';

/**
 * Reserves a port on this host, if nothing listens on it. The reservation is a UDP socket of the same number on the
 * loopback address: drivers use the TCP port only, the system gives the number to one process at a time, also of other
 * users and containers that share the network, and it closes the socket when the process ends in any way.
 */
export async function holdPort(port: number): Promise<(() => void) | null> {
  const socket = createSocket('udp4');
  const isMine = await new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: LOOPBACK, exclusive: true }, () => resolve(true));
  });
  if (isMine) {
    socket.unref();
    socket.on('error', () => undefined);
    // A listener on every address does not conflict with one on the loopback address on every system, so try both.
    if ((await isFree(port, LOOPBACK)) && (await isFree(port, '::'))) return () => socket.close();
  }
  socket.close();
  return null;
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      // The host has no IPv6, so nothing can listen there.
      resolve(code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL'),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
