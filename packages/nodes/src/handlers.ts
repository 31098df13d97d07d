import { type Handlers, instant } from '@svc/module';
import type { Nodes, NodeView } from './hub/nodes.ts';
import { registerNode } from './hub/register-node.ts';
import { serverOrigin } from './hub/server-origin.ts';

type Tools = Parameters<typeof registerNode>[2] & { readonly nodes: Nodes; readonly version: string };

/** Handlers of the nodes of this hub (contract 8.1). */
export function nodeHandlers(tools: Tools): Handlers {
  const { nodes, version: hubVersion } = tools;
  return {
    listNodes: ({ caller }) => nodes.list(caller).map(describe),

    registerNode: async ({ caller, body }) => {
      const { url, version, basePath = '', hubUrl, devices, sessions = null } = body;
      const offered = devices.map((device) => {
        const {
          udid,
          name = udid,
          platform = '',
          osVersion = '',
          streams = [],
          directInput = false,
        } = device;
        return { ...device, name, platform, osVersion, streams, directInput };
      });
      const report = {
        url: serverOrigin('url', url),
        version,
        basePath,
        hubUrl: hubUrl === undefined ? null : serverOrigin('hubUrl', hubUrl),
        devices: offered,
        sessions,
      };
      const view = await registerNode(caller, report, tools);
      return { ...describe(view), hubVersion, leases: nodes.leasesOn(view.node) };
    },

    nodeLog: ({ caller, params }) => {
      const lines = nodes.logs.list(caller, params.name);
      return { items: lines.map(({ at, ...line }) => ({ at: instant(at), ...line })) };
    },

    removeNode: ({ caller, params }) => nodes.remove(caller, params.name),
  };
}

function describe({ node, devices, sessions }: NodeView) {
  const { name, url, version, registeredAt } = node.record;
  return {
    name,
    url,
    version,
    status: node.isAway ? ('away' as const) : ('online' as const),
    devices,
    sessions,
    registeredAt: instant(registeredAt),
    lastSeenAt: instant(Math.max(node.record.lastSeenAt, node.reportedAt ?? 0)),
  };
}
