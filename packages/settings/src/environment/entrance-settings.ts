import * as addresses from './address-rules.ts';
import { ConfigError } from './config-error.ts';
import { Reader, type Sources } from './reader.ts';
import * as rules from './rules.ts';

/** Address of the WebDriver grid behind this server, and how to authenticate there. */
interface UpstreamSettings {
  /** Scheme, host and port of the grid. */
  readonly url: string;
  /** Path prefix of the grid's WebDriver routes: empty, or with a leading slash and no trailing one. */
  readonly basePath: string;
  /** Value of the `Authorization` header for the grid, or null to send no such header. */
  readonly authorization: string | null;
  /** Certificate authorities (PEM) to trust instead of the system's, or null to trust the system's. */
  readonly ca: string | null;
  /**
   * Whether the session ids that clients get contain the owner and a signature. From such an id, other svc servers in
   * front of the same grid can tell the owner without a database.
   */
  readonly signsIds: boolean;
}

/**
 * Address and credentials of the first entrance. Several svc servers (entrances) can be in front of the same WebDriver
 * grid. The first entrance is the one that has the database.
 */
export interface FirstEntranceSettings {
  /** Scheme, host and port of the first entrance. */
  readonly url: string;
  readonly accessKey: string;
  readonly token: string;
  readonly ca: string | null;
}

/** Settings that only an entrance has. An entrance is an svc server in front of a WebDriver grid. */
export interface EntranceSettings {
  /** Grid behind this server, or null if this server is not an entrance. */
  readonly upstream: UpstreamSettings | null;
  /** Entrance that has the database (the first entrance), or null if this server has it. */
  readonly first: FirstEntranceSettings | null;
  /** Path prefix of this server's WebDriver routes: empty, or with a leading slash and no trailing one. */
  readonly basePath: string;
}

/**
 * Variables that only an entrance (a server in front of a WebDriver grid) reads. Other servers must not report them as
 * unknown variables.
 */
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

/** Reads the settings of an entrance once at start. Throws for an unusable value, so that the server does not start. */
export function readEntranceSettings(sources: Sources): EntranceSettings {
  const reader = new Reader({ ...sources, options: undefined });
  const address = reader.vital('SVC_UPSTREAM', addresses.upstreamUrl);
  const authorization = reader.secret('SVC_UPSTREAM_AUTHORIZATION', rules.authorizationValue) ?? null;
  const ca = reader.vital('SVC_UPSTREAM_TLS_CA', rules.certificatesIn(sources.readFile)) ?? null;
  const signsIds = reader.vital('SVC_ENTRANCES', rules.trueOrFalse) ?? false;
  const first = readFirst(reader, sources);
  if (first !== null && address === undefined)
    throw new ConfigError('SVC_ENTRANCE_OF also needs SVC_UPSTREAM');
  return {
    upstream: address === undefined ? null : { ...address, authorization, ca, signsIds },
    first,
    basePath: address === undefined ? '' : (reader.vital('SVC_BASE_PATH', rules.basePath) ?? ''),
  };
}

function readFirst(reader: Reader, sources: Sources): FirstEntranceSettings | null {
  const url = reader.vital('SVC_ENTRANCE_OF', addresses.serverUrl);
  const accessKey = reader.vital('SVC_ENTRANCE_ACCESS_KEY', rules.headerSecret);
  const token = reader.secret('SVC_ENTRANCE_TOKEN', rules.headerSecret);
  const ca = reader.vital('SVC_ENTRANCE_TLS_CA', rules.certificatesIn(sources.readFile)) ?? null;
  if (url === undefined) return null;
  if (accessKey === undefined || token === undefined)
    throw new ConfigError('SVC_ENTRANCE_OF also needs SVC_ENTRANCE_ACCESS_KEY and SVC_ENTRANCE_TOKEN');
  return { url, accessKey, token, ca };
}
