import { routes } from '@svc/contract';
import { instant } from '@svc/module';
import { type NodeView, registerNode, serverOrigin } from '@svc/nodes';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { VERSION } from '../runtime/resources.ts';

/** Registers the routes for the nodes of this hub (contract 8.1). */
export function nodeRoutes(api: App, { services }: HttpContext): void {
  const { nodes, nodeAddresses: addresses, stores, authenticator } = services;
  const tools = { nodes, addresses, stores, authenticator };
  handle(api, routes.listNodes, ({ caller }) => nodes.list(caller).map(describe));

  handle(api, routes.registerNode, async ({ caller, body }) => {
    const { url, version, basePath = '', hubUrl, devices, sessions = null } = body;
    const offered = devices.map((device) => {
      const { udid, name = udid, platform = '', osVersion = '', streams = [], directInput = false } = device;
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
    return { ...describe(view), hubVersion: VERSION, leases: nodes.leasesOn(view.node) };
  });

  handle(api, routes.nodeLog, ({ caller, params }) => {
    const lines = nodes.logs.list(caller, params.name);
    return { items: lines.map(({ at, ...line }) => ({ at: instant(at), ...line })) };
  });

  handle(api, routes.removeNode, ({ caller, params }) => nodes.remove(caller, params.name));
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
