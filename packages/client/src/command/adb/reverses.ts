import type { WebSocket } from 'ws';
import type { LabSockets } from '../phone/lab-sockets.ts';

interface Kept {
  readonly remote: string;
  readonly local: string;
  readonly socket: WebSocket;
}

const FORWARD = /^reverse:forward:(?:norebind:)?([^;]+);(.+)$/;
const REMOVAL = /^reverse:killforward:(.+)$/;
const DONE = Buffer.from('OKAY');

/**
 * The forwards from the phone to this machine (`adb reverse`). Each lives as long as the socket that made it, and this
 * side accepts each of its connections.
 */
export class Reverses {
  readonly #lab: LabSockets;
  readonly #opened: (local: string, socket: WebSocket) => void;
  #kept: Kept[] = [];

  /** @param opened called for each connection of an app on the phone, with its destination on this machine */
  constructor(lab: LabSockets, opened: (local: string, socket: WebSocket) => void) {
    this.#lab = lab;
    this.#opened = opened;
  }

  isForward(service: string): boolean {
    return FORWARD.test(service);
  }

  /** @returns the answer to a request about the forwards of this side, or undefined if the phone has to answer it */
  answerTo(service: string): Buffer | undefined {
    if (service === 'reverse:list-forward') {
      const lines = this.#kept.map(({ remote, local }) => `svc ${remote} ${local}\n`).join('');
      // adbd sends no `OKAY` before a list.
      return Buffer.from(`${Buffer.byteLength(lines).toString(16).padStart(4, '0')}${lines}`);
    }
    if (service === 'reverse:killforward-all') {
      this.close();
      return DONE;
    }
    const remote = REMOVAL.exec(service)?.[1];
    const found = this.#kept.filter((each) => each.remote === remote);
    if (found.length === 0) return undefined;
    for (const { socket } of found) socket.close();
    return DONE;
  }

  keep(service: string, socket: WebSocket): void {
    const [, remote = '', local = ''] = FORWARD.exec(service) ?? [];
    if (!this.#kept.some((each) => each.socket === socket)) this.#kept.push({ remote, local, socket });
  }

  forget(socket: WebSocket): void {
    this.#kept = this.#kept.filter((each) => each.socket !== socket);
  }

  /** Accepts a connection that the lab offers. */
  offered(service: string, offer: Record<string, unknown> | undefined): void {
    const local = FORWARD.exec(service)?.[2];
    if (local === undefined || typeof offer?.accept !== 'string') return;
    this.#lab.open({ accept: offer.accept }, (socket) => this.#opened(local, socket)).catch(() => undefined);
  }

  close(): void {
    for (const { socket } of this.#kept) socket.close();
    this.#kept = [];
  }
}
