import { type ConnectionOptions, connect, type LabConnection } from './connection.ts';
import { fromEnv } from './environment.ts';
import { type LeaseInput, lease, type PhoneLease } from './lease.ts';
import type { SvcClient } from './rest-client.ts';
import { optionsOf } from './webdriverio.ts';

export interface SvcServiceOptions extends Pick<ConnectionOptions, 'audience'> {
  /** Client that has a key pair; `fromEnv()` by default. */
  readonly client?: SvcClient;
  /**
   * Phone that each worker reserves before its session and gives back afterwards. If absent, workers reserve nothing.
   */
  readonly lease?: LeaseInput;
  /** Folder for the reports of sessions with a failed test, for example one that CI keeps as an artifact. */
  readonly reports?: string;
}

/**
 * Service for WebdriverIO's test runner, enabled in `wdio.conf` with `services: [[SvcService, {}]]`. Connects every
 * worker to the lab: sets the address, the headers of every command and the credentials of the session's capabilities.
 */
export class SvcService {
  readonly #options: SvcServiceOptions;
  #connection: LabConnection | undefined;
  #held: PhoneLease | undefined;
  #sessionId: string | undefined;
  #hasFailed = false;

  constructor(options: SvcServiceOptions = {}) {
    this.#options = options;
  }

  /** Checks the lab in the launcher before any worker starts, so that a wrong setting ends the run here. */
  async onPrepare(): Promise<void> {
    try {
      await this.#client().me();
    } catch (error) {
      // The launcher stops the run only for an error with this name.
      throw Object.assign(new Error(`svc: ${reasonOf(error)}`, { cause: error }), {
        name: 'SevereServiceError',
      });
    }
  }

  /** Changes `config`, from which the worker then creates its session, so that the session uses the lab. */
  async beforeSession(config: object): Promise<void> {
    try {
      const client = this.#client();
      const { audience, lease: wanted } = this.#options;
      if (wanted !== undefined) this.#held = await lease(client, wanted);
      this.#connection = await connect(client, {
        ...(audience === undefined ? {} : { audience }),
        ...(this.#held === undefined ? {} : { lease: this.#held }),
      });
      Object.assign(config, optionsOf(this.#connection));
    } catch (error) {
      // WebdriverIO would continue although this hook failed, so change the configuration to make the session's
      // creation fail with this error.
      Object.assign(config, failingCreates(error));
    }
  }

  before(_capabilities: unknown, _specs: unknown, browser?: { readonly sessionId?: string }): void {
    this.#sessionId = browser?.sessionId;
  }

  onReload(_oldSessionId: string, newSessionId: string): void {
    this.#sessionId = newSessionId;
  }

  /**
   * Gives the phone back. WebdriverIO also calls this hook if the session could not be created.
   * @param result 0 if all tests of the worker passed
   */
  async after(result?: number): Promise<void> {
    this.#hasFailed = result !== undefined && result !== 0;
    const held = this.#held;
    this.#held = undefined;
    await held?.end();
  }

  /** Runs when the session has ended, so that its report is complete. */
  async afterSession(): Promise<void> {
    this.#connection?.headers.stop();
    const { reports } = this.#options;
    if (reports === undefined || !this.#hasFailed || this.#sessionId === undefined) return;
    try {
      // Import the module here and not at the top, because browsers can load the current file but not that module.
      const { saveReportIn } = await import('./report.ts');
      const file = await saveReportIn(this.#client(), this.#sessionId, reports);
      console.log(`svc: the report of the session is in ${file}`);
    } catch (error) {
      console.warn(`svc: the report of the session could not be saved: ${reasonOf(error)}`);
    }
  }

  #client(): SvcClient {
    return this.#options.client ?? fromEnv();
  }
}

function failingCreates(error: unknown): object {
  return {
    hostname: '127.0.0.1',
    port: 1,
    transformRequest: () => {
      throw new Error(`svc: ${reasonOf(error)}`, { cause: error });
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
