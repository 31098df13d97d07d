import type { AiProvider } from '@svc/contract';
import type { SettingValues } from './setting-rules.ts';

/** Where an AI provider is asked, and with which key. */
export interface AiAddress {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Null: it is asked without one. */
  readonly apiKey: string | null;
}

/** Where a provider is asked when no address is set; null: nowhere. */
const KNOWN_ADDRESSES: Readonly<Record<AiProvider, string | null>> = {
  openai: 'https://api.openai.com/v1',
  ollama: 'http://127.0.0.1:11434/v1',
  'openai-compatible': null,
};

type AiSettings = Pick<SettingValues, 'aiProvider' | 'aiBaseUrl'>;

/**
 * Null: no address is set. The key is a secret of the host and goes to no address but the one the host named at
 * start: an address saved over the API would otherwise be a way to read it.
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
