import { type CreateCredentials, type LeaseFields, withCreateCredentials } from './capabilities.ts';
import { type CommandHeaders, commandHeaders } from './command-headers.ts';
import { withUnprinted } from './credentials.ts';
import type { SvcClient } from './rest-client.ts';
import type { BearerAudience } from './wire.ts';

export interface ConnectionOptions {
  /** Audience of the bearer token that is sent with WebDriver commands. The default is `svc-rest`. */
  readonly audience?: BearerAudience;
  /** Lease (a reservation of a phone). Every new session uses its phone. */
  readonly lease?: LeaseFields;
}

/**
 * What a WebDriver client needs to use a lab: its address, a bearer token for commands, and the key pair for creating
 * sessions. The bearer token is renewed automatically. A CI job without a stored secret uses the two tokens of
 * `ci-login` instead, which are not renewed.
 */
export interface LabConnection {
  /** Address of the lab including the base path of its WebDriver server, without a trailing slash. */
  readonly url: string;
  readonly headers: CommandHeaders;
  readonly credentials: CreateCredentials;
  /** Headers for opening WebSockets. The service closes a WebSocket when the credential in these headers expires. */
  readonly socketHeaders: CommandHeaders;
}

/**
 * Connects to a lab. Requests the first bearer token immediately, so that wrong credentials are reported here and not
 * by the first command. The token is renewed until `headers.stop()` is called on the result. Throws a `TypeError` if the
 * client has no credential that can create sessions.
 */
export async function connect(
  client: SvcClient,
  { audience = 'svc-rest', lease }: ConnectionOptions = {},
): Promise<LabConnection> {
  const { headers, socketHeaders, credentials } = accessOf(client, audience);
  try {
    const [{ webDriver }] = await Promise.all([client.capabilities(), headers.ready()]);
    const url = serverUrl(client, webDriver.basePath);
    const connection = withUnprinted({ url, headers }, 'credentials', { ...credentials, ...leaseOf(lease) });
    return withUnprinted(connection, 'socketHeaders', socketHeaders);
  } catch (error) {
    headers.stop();
    throw error;
  }
}

function accessOf(
  client: SvcClient,
  audience: BearerAudience,
): Pick<LabConnection, 'headers' | 'socketHeaders' | 'credentials'> {
  const { keyPair, jobCredential } = client;
  if (keyPair !== undefined) {
    const headers = commandHeaders({ issue: () => client.issueBearer({ audience }) });
    // WebSockets use the key pair, because it is valid longer than a bearer token and they are closed when their
    // credential expires.
    return { headers, socketHeaders: commandHeaders(keyPair), credentials: keyPair };
  }
  if (jobCredential?.sessionToken !== undefined) {
    const { bearer, sessionToken } = jobCredential;
    const headers = commandHeaders({ bearer });
    return { headers, socketHeaders: headers, credentials: { sessionToken } };
  }
  throw new TypeError(
    jobCredential === undefined
      ? 'Sessions are created with a key pair; create the client with one'
      : 'Sessions are created with a key pair or a session token; set SVC_SESSION_TOKEN, which `ci-login` writes if the trust rule has the scope `sessions`',
  );
}

/**
 * Joins the client's own origin and the base path from the lab's response. The response cannot change the origin,
 * because a wrong origin would receive the credentials. Throws a `TypeError` if the path is unusable.
 */
function serverUrl(client: SvcClient, basePath: string): string {
  if (!/^(?:\/[^/?#\\][^?#\\]*)?$/.test(basePath))
    throw new TypeError(`${client.url} reports an unusable base path`);
  return `${client.url}${basePath}`;
}

function leaseOf(lease: LeaseFields | undefined): Partial<LeaseFields> {
  return lease === undefined ? {} : { leaseId: lease.leaseId, leaseToken: lease.leaseToken };
}

/** @returns the body of a create-session request with the credentials added, or any other body unchanged */
export function createText(body: string, credentials: CreateCredentials): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return body;
  }
  const filled = withCreateCredentials(parsed, credentials);
  return filled === undefined ? body : JSON.stringify(filled);
}
