import { isRecord } from '@svc/contract';
import { HubClient } from '@svc/nodes';
import { type JsonAnswer, Outbound } from '@svc/outbound';
import type { Config } from '@svc/settings';
import { type Finding, failure, ok, skipped, warning } from './finding.ts';
import { messageOf } from './host.ts';
import { endsSoon, NEW_KEY } from './node-keys.ts';

/**
 * Checks this node's key and its registration at its hub.
 * @returns no findings if this server is not a node
 */
export async function checkHub({ node, nodeTlsCa: ca, proxy }: Config, now: number): Promise<Finding[]> {
  if (node === null) return [];
  const hub = new HubClient({ ...node, ca, outbound: new Outbound(proxy) });
  try {
    const key = keyOf(await hub.me(), now);
    const isAccepted = key.outcome !== 'failure';
    return [key, ...(isAccepted ? [registrationOf(await hub.nodes(), node)] : [])];
  } catch (error) {
    const message = `This host cannot reach the hub ${node.hubUrl}: ${messageOf(error)}`;
    return [warning('hub', message, 'Start the hub, or correct SVC_HUB_URL, SVC_PROXY or SVC_NODE_TLS_CA.')];
  } finally {
    await hub.close();
  }
}

function keyOf({ status, body }: JsonAnswer, now: number): Finding {
  const check = 'node-key';
  const me = isRecord(body) ? body : {};
  if (status === 401)
    return failure(
      check,
      'The hub refuses the key of this node, because the key is wrong, revoked or expired',
      NEW_KEY,
    );
  if (status !== 200)
    return skipped(check, `The hub responded with ${status} when it was asked about the key of this node`);
  if (me.role === 'Member' || !(Array.isArray(me.scopes) && me.scopes.includes('admin')))
    return failure(
      check,
      'The key of this node does not have the scope admin, or its account is not an Admin',
      NEW_KEY,
    );
  const expiresAt = typeof me.expiresAt === 'string' ? me.expiresAt : null;
  if (expiresAt === null) return ok(check, 'The key of this node never expires');
  const message = `The key of this node expires at ${expiresAt}. After that, the node cannot register`;
  return endsSoon(Date.parse(expiresAt), now) ? warning(check, message, NEW_KEY) : ok(check, message);
}

function registrationOf({ status, body }: JsonAnswer, { url }: NonNullable<Config['node']>): Finding {
  const check = 'node-registration';
  const name = new URL(url).host;
  if (status !== 200 || !Array.isArray(body))
    return skipped(check, `The hub responded with ${status} when it was asked for its nodes`);
  const listed = body.find((each: unknown) => isRecord(each) && each.name === name) as
    | { status?: unknown }
    | undefined;
  if (listed?.status === 'online') return ok(check, `The hub lists this node as ${name}`);
  const message =
    listed === undefined
      ? `The hub does not list this node, ${name}`
      : `The hub has not received a report of this node, ${name}, for 30 s`;
  const fix =
    'Start the node and look for "The hub does not accept this node" in its log. If SVC_NODE_URL is a loopback or ' +
    'link-local address, name it in SVC_NODE_ALLOW on the hub.';
  return warning(check, message, fix);
}
