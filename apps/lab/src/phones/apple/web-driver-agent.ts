import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { type Answer, type Command, MjpegServer, WebDriverServer } from '../phone-server.ts';
import { type AgentPhone, answerOf } from './agent-commands.ts';

/** Ports of the phone on which WebDriverAgent and its MJPEG stream listen. */
const AGENT_PORT = 8100;
const MJPEG_PORT = 9100;

/** The WebDriverAgent of a scripted iPhone. It is reached through usbmuxd, or at `url` once `listen` was called. */
export class WebDriverAgent {
  isRunning = true;
  /** Id of its session, or null. A new session ends the older one, as in WebDriverAgent. */
  session: string | null = null;
  /** Number of sessions so far. */
  sessionsStarted = 0;
  readonly typed: string[] = [];
  readonly clicks: string[] = [];
  /** Bodies of gestures and settings. */
  readonly actions: string[] = [];
  readonly #phone: AgentPhone;
  readonly #server = new WebDriverServer((command) => this.#answer(command));
  readonly #mjpeg: MjpegServer;

  constructor(phone: AgentPhone) {
    this.#phone = phone;
    this.#mjpeg = new MjpegServer(phone.screen);
  }

  /** Method and path of each request. */
  get requests(): readonly string[] {
    return this.#server.requests;
  }

  /** Listens on this host. @returns the address for `appium:webDriverAgentUrl` */
  async listen(): Promise<string> {
    return `http://127.0.0.1:${await this.#server.listen()}`;
  }

  isListening(port: number): boolean {
    return this.isRunning && (port === AGENT_PORT || port === MJPEG_PORT);
  }

  /** Handles a connection to a port of the phone on which the agent listens. */
  accept(port: number, socket: Socket): void {
    (port === MJPEG_PORT ? this.#mjpeg : this.#server).accept(socket);
  }

  stop(): void {
    this.isRunning = false;
    this.session = null;
    this.#server.drop();
    this.#mjpeg.drop();
  }

  close(): void {
    this.#server.close();
    this.#mjpeg.close();
  }

  #answer({ name, session, body }: Command): Answer | undefined {
    if (name === 'GET /status') return { value: this.#status() };
    if (name === 'POST /session') {
      const sessionId = randomUUID();
      this.session = sessionId;
      this.sessionsStarted += 1;
      const { osVersion, name: browserName } = this.#phone.facts;
      return {
        sessionId,
        value: { sessionId, capabilities: { device: 'iphone', sdkVersion: osVersion, browserName } },
      };
    }
    if (session !== '' && session !== this.session)
      return { error: 'invalid session id', message: 'Session does not exist' };
    if (name === 'DELETE ') this.session = null;
    return answerOf(this.#phone, name, body);
  }

  #status(): object {
    const version = this.#phone.facts.osVersion;
    return {
      ready: true,
      message: 'WebDriverAgent is ready to accept commands',
      state: 'success',
      os: { name: 'iOS', version, sdkVersion: version },
      ios: { ip: '127.0.0.1' },
      build: { productBundleIdentifier: 'com.facebook.WebDriverAgentRunner' },
      device: 'iphone',
    };
  }
}
