import { type CreateCredentials, type LeaseFields, withCreateCredentials } from './capabilities.ts';
import { type CommandHeaders, commandHeaders } from './command-headers.ts';
import { type KeyPair, withUnprinted } from './credentials.ts';
import type { SvcClient } from './rest-client.ts';
import type { BearerAudience } from './wire.ts';

export interface ConnectionOptions {
  /** Of the bearer token that commands carry; `svc-rest` unless told. */
  readonly audience?: BearerAudience;
  /** Creates ask for the phone of this lease. */
  readonly lease?: LeaseFields;
}

/** What a WebDriver client needs of a lab: a bearer token that is renewed for commands, the key pair for creates. */
export interface LabConnection {
  /** The lab's address with the base path of its WebDriver server, without a slash at the end. */
  readonly url: string;
  readonly headers: CommandHeaders;
  readonly credentials: KeyPair & CreateCredentials;
}

/**
 * Asks for the first bearer token, so that wrong credentials are told of here. The client has to be one with a key
 * pair (a `TypeError` otherwise), as `fromEnv` makes it. `headers.stop()` ends the renewals.
 */
export async function connect(
  client: SvcClient,
  { audience = 'svc-rest', lease }: ConnectionOptions = {},
): Promise<LabConnection> {
  const pair = client.keyPair;
  if (pair === undefined) throw new TypeError('Sessions are created with a key pair: give the client one');
  const headers = commandHeaders({ issue: () => client.issueBearer({ audience }) });
  try {
    const [{ webDriver }] = await Promise.all([client.capabilities(), headers.ready()]);
    const url = serverUrl(client, webDriver.basePath);
    return withUnprinted({ url, headers }, 'credentials', { ...pair, ...leaseOf(lease) });
  } catch (error) {
    headers.stop();
    throw error;
  }
}

/** Never another server than the one that was asked: it gets the credentials. */
function serverUrl(client: SvcClient, basePath: string): string {
  if (!/^(?:\/[^/?#\\][^?#\\]*)?$/.test(basePath))
    throw new TypeError(`${client.url} tells of an unusable base path`);
  return `${client.url}${basePath}`;
}

function leaseOf(lease: LeaseFields | undefined): Partial<LeaseFields> {
  return lease === undefined ? {} : { leaseId: lease.leaseId, leaseToken: lease.leaseToken };
}

/** The text of a create's body with the credentials in it; any other text as it is. */
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
