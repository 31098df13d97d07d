import { Reader, type Sources } from './reader.ts';
import * as rules from './rules.ts';

/** A WebDriver grid behind this server. */
interface UpstreamSettings {
  /** Scheme, host and port. */
  readonly url: string;
  /** Empty, or a leading slash and no trailing one. */
  readonly basePath: string;
  /** Sent to it as `Authorization`; null: nothing. */
  readonly authorization: string | null;
  /** Certificate authorities to trust instead of the system's, PEM; null: the system's. */
  readonly ca: string | null;
}

/** What the API alone reads besides the service's own settings, to be the entrance of a grid. */
export interface EntranceSettings {
  /** Null: it is none. */
  readonly upstream: UpstreamSettings | null;
  /** Where WebDriver routes begin at this server: empty, or a leading slash and no trailing one. */
  readonly basePath: string;
}

/** Known to the parser of every host, so that they are never reported as unknown. */
export const ENTRANCE_VARIABLES: readonly string[] = [
  'SVC_UPSTREAM',
  'SVC_UPSTREAM_AUTHORIZATION',
  'SVC_UPSTREAM_AUTHORIZATION_FILE',
  'SVC_UPSTREAM_TLS_CA',
];

/** Read once at start, as `readConfig` does for everything else; an unusable value stops the start. */
export function readEntranceSettings(sources: Sources): EntranceSettings {
  const reader = new Reader({ ...sources, options: undefined });
  const address = reader.vital('SVC_UPSTREAM', rules.upstreamUrl);
  const authorization = reader.secret('SVC_UPSTREAM_AUTHORIZATION', rules.authorizationValue) ?? null;
  const ca = reader.vital('SVC_UPSTREAM_TLS_CA', rules.certificatesIn(sources.readFile)) ?? null;
  return {
    upstream: address === undefined ? null : { ...address, authorization, ca },
    basePath: address === undefined ? '' : (reader.vital('SVC_BASE_PATH', rules.basePath) ?? ''),
  };
}
