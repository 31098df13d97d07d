import { type ApiToken, type Stores, scopeList } from '@svc/auth-core';
import type { NodeRecord } from '@svc/nodes';
import { type Finding, failure, ok, warning } from './finding.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SOON_DAYS = 30;
/**
 * The last use of a key and the last report of a node are written to the database up to this many ms later. When the
 * two times are compared, the last use may therefore be this much earlier than the last report.
 */
const STORED_WITHIN_MS = 10 * 60 * 1000;

export const NEW_KEY =
  'Create an API key with the scope admin on the hub, set SVC_NODE_TOKEN of every node that uses the old key to it, and restart these nodes.';

export function endsSoon(expiresAt: number, now: number): boolean {
  return expiresAt <= now + SOON_DAYS * DAY_MS;
}

/**
 * Finds API keys that have expired or expire within 30 days, and with which a node probably registers. The server does
 * not store which key a node uses. It assumes that a node uses every key that belongs to the node's owner, has the
 * scope `admin`, and was used after the node's last report.
 * @returns one finding per key; one `ok` finding if there is no such key; no findings if there are no nodes
 */
export function checkNodeKeys(
  nodes: readonly NodeRecord[],
  { accounts, apiTokens }: Pick<Stores, 'accounts' | 'apiTokens'>,
  now: number,
): Finding[] {
  if (nodes.length === 0) return [];
  const check = 'node-keys';
  const ending = new Map<string, { readonly key: EndingKey; readonly nodes: string[] }>();
  for (const { name, ownerId, lastSeenAt } of nodes) {
    for (const key of apiTokens.listOf(ownerId)) {
      if (!isEnding(key, now) || !isUsedBy(key, lastSeenAt)) continue;
      const found = ending.get(key.id) ?? { key, nodes: [] };
      found.nodes.push(name);
      ending.set(key.id, found);
    }
  }
  if (ending.size === 0)
    return [ok(check, `No API key that a node registers with expires within ${SOON_DAYS} days`)];
  return [...ending.values()].map(({ key, nodes: [first, ...more] }) => {
    const owner = accounts.byId(key.ownerId)?.email ?? 'a deleted account';
    const users = more.length === 0 ? `node ${first}` : `node ${first} and ${more.length} more`;
    const end = `${key.expiresAt <= now ? 'expired' : 'expires'} at ${new Date(key.expiresAt).toISOString()}`;
    const message = `The key "${key.name}" of ${owner} ${end}, and ${users} may register with it`;
    return (key.expiresAt <= now ? failure : warning)(check, message, NEW_KEY);
  });
}

type EndingKey = ApiToken & { readonly expiresAt: number };

function isEnding(key: ApiToken, now: number): key is EndingKey {
  return key.expiresAt !== null && endsSoon(key.expiresAt, now);
}

function isUsedBy({ scopes, lastUsedAt }: ApiToken, reportedAt: number): boolean {
  return (
    scopeList(scopes).includes('admin') && lastUsedAt !== null && lastUsedAt >= reportedAt - STORED_WITHIN_MS
  );
}
