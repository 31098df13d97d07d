import type { Outbound } from '@svc/outbound';
import { aiAddress, type Settings } from '@svc/settings';
import { listModels, type ModelList } from './list-models.ts';

/** Maximum number of tests that run at the same time. */
const MOST_AT_ONCE = 2;

/** Tests the configured AI provider. */
export class AiTests {
  readonly #settings: Pick<Settings, 'current' | 'startUp'>;
  readonly #apiKey: string | null;
  readonly #outbound: Outbound;
  readonly #stopped = new AbortController();
  #running = 0;

  constructor(
    settings: Pick<Settings, 'current' | 'startUp'>,
    { apiKey, outbound }: { apiKey: string | null; outbound: Outbound },
  ) {
    this.#settings = settings;
    this.#apiKey = apiKey;
    this.#outbound = outbound;
  }

  /**
   * Tests whether the provider lists its models.
   * @param signal aborts the test when the client has disconnected
   * @returns the ids of the models, or why they cannot be listed; `withKey` is true if an API key is configured for
   * this provider
   */
  async run(signal: AbortSignal): Promise<ModelList & { readonly withKey: boolean }> {
    const address = aiAddress(this.#settings.current(), this.#settings.startUp, this.#apiKey);
    if (address === null) return failed('No address of an AI provider is set');
    if (this.#running >= MOST_AT_ONCE) return failed('Other tests are still running, try again later');
    this.#running++;
    try {
      const result = await listModels(
        address,
        this.#outbound,
        AbortSignal.any([signal, this.#stopped.signal]),
      );
      return { ...result, withKey: address.apiKey !== null };
    } finally {
      this.#running--;
    }
  }

  /** Cancels running tests. */
  stop(): void {
    this.#stopped.abort();
  }
}

function failed(message: string) {
  return { ok: false, message, withKey: false } as const;
}
