import type { AiProvider } from '@svc/contract';
import type { SettingValues } from './setting-rules.ts';

/** Address of the AI provider's API, and the key to send to it. */
export interface AiAddress {
  /** Base URL without a trailing slash. */
  readonly baseUrl: string;
  /** API key, or null if the AI service is called without one. */
  readonly apiKey: string | null;
}

/** Base URL of each provider, used if no address is set. Null if the provider has no usual address. */
const KNOWN_ADDRESSES: Readonly<Record<AiProvider, string | null>> = {
  openai: 'https://api.openai.com/v1',
  ollama: 'http://127.0.0.1:11434/v1',
  'openai-compatible': null,
};

type AiSettings = Pick<SettingValues, 'aiProvider' | 'aiBaseUrl'>;

/**
 * Returns the address of the AI provider, or null if no address is set. The key is returned only with the address from
 * the environment. Otherwise someone could save the address of their own server over the API and receive the key.
 */
export function aiAddress(current: AiSettings, startUp: AiSettings, apiKey: string | null): AiAddress | null {
  const baseUrl = baseUrlOf(current);
  if (baseUrl === null) return null;
  return { baseUrl, apiKey: baseUrl === baseUrlOf(startUp) ? apiKey : null };
}

function baseUrlOf({ aiProvider, aiBaseUrl }: AiSettings): string | null {
  if (aiBaseUrl !== null) return aiBaseUrl;
  return aiProvider === null ? null : KNOWN_ADDRESSES[aiProvider];
}
