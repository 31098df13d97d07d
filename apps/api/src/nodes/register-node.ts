import { type Caller, type Reauthorizing, reauthorize } from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import type { Nodes, NodeView } from '@svc/device-lab';
import type { NodeAddresses } from './node-addresses.ts';

interface Tools extends Reauthorizing {
  readonly nodes: Pick<Nodes, 'register'>;
  readonly addresses: Pick<NodeAddresses, 'check'>;
}

/** Registers or renews a node whose address is allowed. Rejects with `invalid_url`, and as `Nodes.register` throws. */
export async function registerNode(
  caller: Caller,
  report: Parameters<Nodes['register']>[1],
  { nodes, addresses, ...tools }: Tools,
): Promise<NodeView> {
  await addresses.check(report.url);
  // Resolving the name took time, in which the caller's credential may have ended.
  return nodes.register(reauthorize(caller, ADMIN, tools), report);
}
