import { once } from 'node:events';
import WebSocket from 'ws';

export interface EventFrame {
  readonly id?: string;
  readonly type: string;
  readonly at: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect payloads of every shape.
  readonly payload: any;
}

/** A connection for live events that keeps the received frames. */
export class EventStream {
  readonly socket: WebSocket;
  readonly frames: EventFrame[] = [];
  /** Close code. */
  readonly closed: Promise<number>;
  #look = () => {};

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = once(socket, 'close').then(([code]) => code as number);
    socket.on('message', (text: Buffer, isBinary: boolean) => {
      if (isBinary) throw new Error('a binary frame');
      this.frames.push(JSON.parse(text.toString()));
      this.#look();
    });
  }

  get types(): string[] {
    return this.frames.map(({ type }) => type);
  }

  /** Waits for the first frame that passes; fails if the connection is closed before. */
  async until(passes: (frame: EventFrame) => boolean): Promise<EventFrame> {
    const found = new Promise<EventFrame>((done) => {
      this.#look = () => {
        const frame = this.frames.find(passes);
        if (frame !== undefined) done(frame);
      };
      this.#look();
    });
    const ended = this.closed.then((code) => {
      throw new Error(`closed with ${code} after ${this.types.join()}`);
    });
    return Promise.race([found, ended]);
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}

/** @returns a ticket for one connection */
export async function eventsTicket(url: string, as: Readonly<Record<string, string>>): Promise<string> {
  const headers = { origin: url, ...as };
  const answer = await fetch(`${url}/svc/api/events/ticket`, { method: 'POST', headers });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`ticket: ${answer.status} ${text}`);
  return JSON.parse(text).ticket;
}

/** Requests a ticket and opens the connection. */
export async function openEvents(
  url: string,
  as: Readonly<Record<string, string>>,
  resume?: string,
): Promise<EventStream> {
  const ticket = await eventsTicket(url, as);
  const query = new URLSearchParams({ ticket, ...(resume === undefined ? {} : { resume }) });
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/svc/api/events?${query}`);
  // Listens before the first frame can arrive.
  const stream = new EventStream(socket);
  await once(socket, 'open');
  return stream;
}
