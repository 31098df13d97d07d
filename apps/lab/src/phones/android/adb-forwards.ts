import { createServer, type Server, type Socket } from 'node:net';

interface Forward {
  serial: string;
  /** Service of the phone, such as `tcp:6790`. */
  remote: string;
  readonly server: Server;
  readonly sockets: Set<Socket>;
}

/**
 * The local ports that `adb forward` leads to phones. As with the real server, a second `adb forward` of the same local
 * port replaces the first one even if that leads to another phone, and any client may remove it.
 */
export class AdbForwards {
  readonly #open: (serial: string, service: string, socket: Socket) => boolean;
  readonly #forwards = new Map<number, Forward>();

  /** @param open opens a service of a phone on a connection, and returns false if this is not possible */
  constructor(open: (serial: string, service: string, socket: Socket) => boolean) {
    this.#open = open;
  }

  /** @returns the list as `adb forward --list` prints it, of all phones or of one */
  list(serial?: string): string {
    return [...this.#forwards]
      .filter(([, each]) => serial === undefined || each.serial === serial)
      .map(([port, each]) => `${each.serial} tcp:${port} ${each.remote}\n`)
      .join('');
  }

  /**
   * @param local local port, or 0 for any free port
   * @returns the local port. Rejects with the reason if it cannot be used
   */
  async add(serial: string, local: number, remote: string, isNew: boolean): Promise<number> {
    const known = this.#forwards.get(local);
    if (known !== undefined) {
      if (isNew) throw new Error('cannot rebind existing socket');
      known.serial = serial;
      known.remote = remote;
      return local;
    }
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      socket.setNoDelay(true).on('error', () => undefined);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      if (!this.#open(forward.serial, forward.remote, socket)) socket.destroy();
    });
    const forward: Forward = { serial, remote, server, sockets };
    await new Promise<void>((listens, failed) => {
      server.once('error', failed).listen(local, '127.0.0.1', listens);
    });
    const { port } = server.address() as { port: number };
    this.#forwards.set(port, forward);
    return port;
  }

  /** Open connections continue. @returns whether there was such a forward */
  remove(port: number): boolean {
    const found = this.#forwards.get(port);
    if (found === undefined) return false;
    this.#forwards.delete(port);
    found.server.close();
    return true;
  }

  /** Removes the forwards of one phone or of all phones, with `isCut` also their open connections. */
  removeAll(serial?: string, isCut = false): void {
    for (const [port, each] of this.#forwards) {
      if (serial !== undefined && each.serial !== serial) continue;
      this.remove(port);
      if (isCut) for (const socket of each.sockets) socket.destroy();
    }
  }
}
