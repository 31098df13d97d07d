import { PROTOCOL_PREFIXES, type ProtocolRoute, protocolRoutes, WELL_KNOWN } from '@svc/contract';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Definition of a route for a standard protocol, such as OAuth, outside `/svc/api`. The server does not start if
     * such a route lacks it.
     */
    protocolRoute?: ProtocolRoute;
  }
}

const PREFIXES = Object.values(PROTOCOL_PREFIXES);
const DOCUMENTS: ReadonlySet<string> = new Set(Object.values(WELL_KNOWN));

/**
 * @returns whether an address belongs to a standard protocol, such as OAuth or SCIM: it equals a prefix such as
 * `/svc/oauth`, is below one, or is the address of a metadata document
 */
function isProtocolAddress(url: string): boolean {
  return DOCUMENTS.has(url) || PREFIXES.some((prefix) => url === prefix || url.startsWith(`${prefix}/`));
}

/**
 * Collects every route that serves a standard protocol outside `/svc/api`. Throws, so that the server does not start,
 * if a route has no definition in the contract package: the guard reads the access rules from that definition.
 */
export function collectProtocolRoutes(app: FastifyInstance): ReadonlySet<ProtocolRoute> {
  const served = new Set<ProtocolRoute>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (!isProtocolAddress(url)) return;
    if (config?.protocolRoute === undefined) throw new Error(`${method} ${url} declares no access`);
    served.add(config.protocolRoute);
  });
  return served;
}

/** Throws, so that the server does not start, if a route of the contract outside `/svc/api` has no handler. */
export function checkProtocolRoutes(served: ReadonlySet<ProtocolRoute>): void {
  for (const route of Object.values<ProtocolRoute>(protocolRoutes)) {
    if (!served.has(route)) throw new Error(`${route.method} ${route.path} has no handler`);
  }
}
