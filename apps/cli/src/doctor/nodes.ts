import { API_PREFIX } from '@svc/contract';
import type { NodeRecord } from '@svc/nodes';
import { AddressNotAllowed, CONNECTIONS_PER_SERVER, type Destinations } from '@svc/outbound';
import type { Config } from '@svc/settings';
import { SOCKETS_PER_ACCOUNT } from '@svc/webdriver-gate';
import { ask } from './ask.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import { messageOf } from './host.ts';

const THROUGH_THE_HUB = 'session rejected: create sessions through the hub';
const CLOCKS_APART_MS = 30_000;

const LOOKUP_MS = 2_000;

/**
 * Checks whether this hub is allowed to connect to a node's address (contract 8.3).
 * @returns a failure if it is not allowed, otherwise null
 */
export async function checkNodeAddress(
  { name, url }: Pick<NodeRecord, 'name' | 'url'>,
  destinations: Destinations,
): Promise<Finding | null> {
  try {
    await destinations.of(new URL(url), AbortSignal.timeout(LOOKUP_MS));
    return null;
  } catch (error) {
    // Returns null for a host name that cannot be resolved, because the next check reports it.
    if (!(error instanceof AddressNotAllowed)) return null;
    const message = `This hub does not connect to node ${name}: ${error.message}`;
    return failure(
      'node-address',
      message,
      'Name its host or address in SVC_NODE_ALLOW on this hub and restart it, or give the node another SVC_NODE_URL.',
    );
  }
}

/**
 * Checks that a node responds, and that it refuses a create-session request that does not come through this hub
 * (contract 8.3).
 */
export async function checkNode(
  { name, url, basePath }: Pick<NodeRecord, 'name' | 'url' | 'basePath'>,
  ca: string | null,
  now: number,
): Promise<Finding[]> {
  const check = 'node';
  try {
    const health = await ask(`${url}${API_PREFIX}/health`, { ca });
    const { status, body } = await ask(`${url}${basePath}/session`, {
      method: 'POST',
      json: { capabilities: { alwaysMatch: { platformName: 'svc doctor' }, firstMatch: [{}] } },
      ca,
    });
    const bypass = body.includes(THROUGH_THE_HUB)
      ? ok(check, `Node ${name} creates no session without this hub`)
      : failure(
          check,
          `Node ${name} can be used without this hub: it responded to a create-session request without a hub token with status ${status}`,
          'Start it with SVC_HUB_URL and with sign-in on, and let only this hub reach its port.',
        );
    return [bypass, clockOf(name, health.headers.date, now)];
  } catch (error) {
    const message = `Node ${name} cannot be reached at ${url}: ${messageOf(error)}`;
    return [warning(check, message, 'Start it, or correct its SVC_NODE_URL.')];
  }
}

/**
 * Compares the clock of a node with this one by the `Date` header of its response, which has a resolution of one
 * second.
 */
function clockOf(name: string, date: string | undefined, now: number): Finding {
  const apart = Math.abs(Date.parse(date ?? '') - now);
  if (!(apart > CLOCKS_APART_MS)) return ok('node-clock', `The clock of node ${name} agrees with this one`);
  const message = `The clocks of this hub and node ${name} are ${Math.round(apart / 1000)} s apart; 30 s are allowed`;
  return failure('node-clock', message, 'Keep both with NTP.');
}

/**
 * Checks this node's limit of connections per address. The hub opens one connection to this node for each socket of a
 * session, and each one counts towards the limit until the node has verified a hub token on it. If the limit were lower
 * than the number of sockets that one account can open at the same time, this account alone could reach it.
 */
export function checkConnectionLimit({ node, maxConnectionsPerAddress: limit }: Config): Finding[] {
  if (node === null) return [];
  const check = 'node-connections';
  const use = `The hub opens up to ${CONNECTIONS_PER_SERVER} connections to this node, and one for each session socket`;
  if (limit === 0) return [ok(check, `${use}; the number of connections per address is not limited`)];
  if (limit >= SOCKETS_PER_ACCOUNT)
    return [
      ok(
        check,
        `${use}; only connections without a verified hub token count towards the limit of ${limit} per address`,
      ),
    ];
  const message = `${use}, but the limit of ${limit} per address is below the ${SOCKETS_PER_ACCOUNT} sockets that one account may open`;
  const fix = `Set SVC_MAX_CONNECTIONS_PER_ADDRESS to ${SOCKETS_PER_ACCOUNT} or more on this node, or to 0.`;
  return [warning(check, message, fix)];
}
