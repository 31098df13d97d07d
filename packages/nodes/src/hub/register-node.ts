import { type Caller, type Reauthorizing, Refusal, reauthorize } from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import type { NodeAddresses } from './node-addresses.ts';
import type { Nodes, NodeView } from './nodes.ts';

interface Tools extends Reauthorizing {
  readonly nodes: Pick<Nodes, 'register' | 'logs'>;
  readonly addresses: Pick<NodeAddresses, 'check'>;
}

/**
 * Registers a node or renews its registration. Rejects with `invalid_url` if the address of the node is not allowed, or
 * with the error that `Nodes.register` throws.
 */
export async function registerNode(
  caller: Caller,
  report: Parameters<Nodes['register']>[1],
  { nodes, addresses, ...tools }: Tools,
): Promise<NodeView> {
  try {
    await addresses.check(report.url);
    // Check the caller again, because the credential may have expired while the host name was resolved.
    return nodes.register(reauthorize(caller, ADMIN, tools), report);
  } catch (error) {
    if (error instanceof Refusal) nodes.logs.refused(report.url, error.message);
    throw error;
  }
}
