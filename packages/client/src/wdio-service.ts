import { type ConnectionOptions, connect, type LabConnection } from './connection.ts';
import { fromEnv } from './environment.ts';
import { type LeaseInput, lease, type PhoneLease } from './lease.ts';
import type { SvcClient } from './rest-client.ts';
import { optionsOf } from './webdriverio.ts';

export interface SvcServiceOptions extends Pick<ConnectionOptions, 'audience'> {
  /** One with a key pair; `fromEnv()` unless told. */
  readonly client?: SvcClient;
  /** Each worker takes such a lease for its session and gives it back. */
  readonly lease?: LeaseInput;
}

/**
 * For WebdriverIO's test runner, in `wdio.conf`: `services: [[SvcService, {}]]`. Every worker connects to the lab:
 * address, headers of every command, credentials of the create.
 */
export class SvcService {
  readonly #options: SvcServiceOptions;
  #connection: LabConnection | undefined;
  #held: PhoneLease | undefined;

  constructor(options: SvcServiceOptions = {}) {
    this.#options = options;
  }

  /** In the launcher: a run that cannot work ends here. */
  async onPrepare(): Promise<void> {
    try {
      await this.#client().me();
    } catch (error) {
      // The name is what makes the launcher stop.
      throw Object.assign(new Error(`svc: ${reasonOf(error)}`, { cause: error }), {
        name: 'SevereServiceError',
      });
    }
  }

  /** In a worker. `config` is what its session is created from. */
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
      // The runner goes on after a hook that fails: the create has to.
      Object.assign(config, refusing(error));
    }
  }

  /** Called for a session that could not be created too. */
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

function refusing(error: unknown): object {
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
