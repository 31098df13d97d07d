import { ConfigError } from '@svc/auth-core';
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
  /** Ids of sessions say whose they are, so that further entrances need no database. */
  readonly signsIds: boolean;
}

/** The first entrance of the same grid, and how this one proves itself to it. */
export interface FirstEntranceSettings {
  /** Scheme, host and port. */
  readonly url: string;
  readonly accessKey: string;
  readonly token: string;
  readonly ca: string | null;
}

/** What the API alone reads besides the service's own settings, to be the entrance of a grid. */
export interface EntranceSettings {
  /** Null: it is none. */
  readonly upstream: UpstreamSettings | null;
  /** Null: this is the first, or the only one. */
  readonly first: FirstEntranceSettings | null;
  /** Where WebDriver routes begin at this server: empty, or a leading slash and no trailing one. */
  readonly basePath: string;
}

/** Known to the parser of every host, so that they are never reported as unknown. */
export const ENTRANCE_VARIABLES: readonly string[] = [
  'SVC_UPSTREAM',
  'SVC_UPSTREAM_AUTHORIZATION',
  'SVC_UPSTREAM_AUTHORIZATION_FILE',
  'SVC_UPSTREAM_TLS_CA',
  'SVC_ENTRANCES',
  'SVC_ENTRANCE_OF',
  'SVC_ENTRANCE_ACCESS_KEY',
  'SVC_ENTRANCE_TOKEN',
  'SVC_ENTRANCE_TOKEN_FILE',
  'SVC_ENTRANCE_TLS_CA',
];

/** Read once at start, as `readConfig` does for everything else; an unusable value stops the start. */
export function readEntranceSettings(sources: Sources): EntranceSettings {
  const reader = new Reader({ ...sources, options: undefined });
  const address = reader.vital('SVC_UPSTREAM', rules.upstreamUrl);
  const authorization = reader.secret('SVC_UPSTREAM_AUTHORIZATION', rules.authorizationValue) ?? null;
  const ca = reader.vital('SVC_UPSTREAM_TLS_CA', rules.certificatesIn(sources.readFile)) ?? null;
  const signsIds = reader.vital('SVC_ENTRANCES', rules.trueOrFalse) ?? false;
  const first = readFirst(reader, sources);
  if (first !== null && address === undefined)
    throw new ConfigError('SVC_ENTRANCE_OF needs SVC_UPSTREAM beside it');
  return {
    upstream: address === undefined ? null : { ...address, authorization, ca, signsIds },
    first,
    basePath: address === undefined ? '' : (reader.vital('SVC_BASE_PATH', rules.basePath) ?? ''),
  };
}

function readFirst(reader: Reader, sources: Sources): FirstEntranceSettings | null {
  const url = reader.vital('SVC_ENTRANCE_OF', rules.serverUrl);
  const accessKey = reader.vital('SVC_ENTRANCE_ACCESS_KEY', rules.headerSecret);
  const token = reader.secret('SVC_ENTRANCE_TOKEN', rules.headerSecret);
  const ca = reader.vital('SVC_ENTRANCE_TLS_CA', rules.certificatesIn(sources.readFile)) ?? null;
  if (url === undefined) return null;
  if (accessKey === undefined || token === undefined)
    throw new ConfigError('SVC_ENTRANCE_OF needs SVC_ENTRANCE_ACCESS_KEY and SVC_ENTRANCE_TOKEN beside it');
  return { url, accessKey, token, ca };
}
