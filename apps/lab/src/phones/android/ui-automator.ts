import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { type Answer, type Command, MjpegServer, WebDriverServer } from '../phone-server.ts';
import type { DrivenPhone } from './driven-phone.ts';
import { commandOf } from './ui-automator-commands.ts';

/** Ports of the phone on which the server and its MJPEG stream listen. */
const SERVER_PORT = 6790;
const MJPEG_PORT = 7810;

/** Time (ms) between the answer to the end of a session and the end of the server. */
const END_MS = 50;

/** The server that the UiAutomator2 driver installs on a phone, which the driver reaches through `adb forward`. */
export class UiAutomator {
  isRunning = false;
  /** Command during which the server crashes, such as `GET /source`, or null if it answers all commands. */
  crashesOn: string | null = null;
  /** Command during which the server closes its connections instead of an answer, or null. */
  dropsOn: string | null = null;
  /** Ids of its sessions. */
  readonly sessions = new Set<string>();
  readonly typed: string[] = [];
  /** Ids of the elements that were clicked. */
  readonly clicks: string[] = [];
  /** Bodies of gestures and actions. */
  readonly actions: string[] = [];
  readonly #phone: DrivenPhone;
  readonly #server = new WebDriverServer((command) => this.#answer(command));
  readonly #mjpeg: MjpegServer;

  constructor(phone: DrivenPhone) {
    this.#phone = phone;
    this.#mjpeg = new MjpegServer(phone.screen);
  }

  /** Method and path of each request. */
  get requests(): readonly string[] {
    return this.#server.requests;
  }

  /** Handles a connection to a port of the phone. @returns false if nothing listens there */
  accept(port: number, socket: Socket): boolean {
    const server = port === SERVER_PORT ? this.#server : port === MJPEG_PORT ? this.#mjpeg : undefined;
    if (!this.isRunning || server === undefined) return false;
    server.accept(socket);
    return true;
  }

  stop(): void {
    this.isRunning = false;
    this.sessions.clear();
    this.#server.drop();
    this.#mjpeg.drop();
  }

  #answer({ name, session, body }: Command): Answer | undefined {
    if (session !== '' && name === this.crashesOn) this.#phone.crash();
    if (session !== '' && name === this.dropsOn) this.#server.drop();
    if (session !== '') {
      if (name === 'DELETE ') this.#end(session);
      return commandOf(name)?.(this.#phone, body);
    }
    if (name === 'GET /status') return { value: { ready: true, message: 'ready' } };
    if (name === 'GET /sessions') return { value: [...this.sessions].map((id) => ({ id })) };
    if (name !== 'POST /session') return undefined;
    const sessionId = randomUUID();
    this.sessions.add(sessionId);
    return { sessionId, value: { sessionId, capabilities: body.capabilities?.firstMatch?.[0] ?? {} } };
  }

  /** The real server ends with its session, shortly after the answer. */
  #end(session: string): void {
    this.sessions.delete(session);
    setTimeout(() => {
      if (this.sessions.size === 0) this.#phone.stopInstrumentation();
    }, END_MS);
  }
}
