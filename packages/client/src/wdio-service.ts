import { type ConnectionOptions, connect, type LabConnection } from './connection.ts';
import { fromEnv } from './environment.ts';
import { type LeaseInput, lease, type PhoneLease } from './lease.ts';
import type { SvcClient } from './rest-client.ts';
import { optionsOf } from './webdriverio.ts';

export interface SvcServiceOptions extends Pick<ConnectionOptions, 'audience'> {
  /** A client with a key pair; the default is `fromEnv()`. */
  readonly client?: SvcClient;
  /** A lease that each worker takes for its session and gives back. */
  readonly lease?: LeaseInput;
}

/**
 * Service for WebdriverIO's test runner, in `wdio.conf`: `services: [[SvcService, {}]]`. Every worker connects to the
 * lab with its address, the headers of every command and the credentials of the create.
 */
export class SvcService {
  readonly #options: SvcServiceOptions;
  #connection: LabConnection | undefined;
  #held: PhoneLease | undefined;

  constructor(options: SvcServiceOptions = {}) {
    this.#options = options;
  }

  /** Runs in the launcher; a run that cannot work ends here. */
  async onPrepare(): Promise<void> {
    try {
      await this.#client().me();
    } catch (error) {
      // The launcher stops only for an error with this name.
      throw Object.assign(new Error(`svc: ${reasonOf(error)}`, { cause: error }), {
        name: 'SevereServiceError',
      });
    }
  }

  /** Runs in a worker. Its session is created from `config`. */
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
      // The runner continues after a failed hook, so the create is made to fail instead.
      Object.assign(config, failingCreates(error));
    }
  }

  /** Also called for a session that could not be created. */
  async after(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held?.end();
  }

  afterSession(): void {
    this.#connection?.headers.stop();
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
