import type { GuardedRoute } from '../define-route.ts';

/**
 * Definition of a route outside `/svc/api` (contract 10). These routes accept no cookies. Therefore they need no origin
 * check: cookies are the only credentials that a browser adds to a request automatically. Only MCP checks the origin.
 */
export interface ProtocolRoute extends GuardedRoute {
  /** True if the route responds with 404 without a usable `SVC_PUBLIC_URL`, as most routes of the protocols do. */
  readonly needsPublicUrl?: true;
  /** True if pages of every origin may call the route. Browsers send no cookies with these requests. */
  readonly crossOrigin?: true;
  /**
   * True if an OAuth client may send its id and secret as user name and password of HTTP Basic authentication. A key
   * pair then counts in this spelling too.
   */
  readonly basicClients?: true;
}

export type ProtocolRouteSpec = Omit<ProtocolRoute, 'category'> & Partial<Pick<ProtocolRoute, 'category'>>;

export function defineProtocolRoute(spec: ProtocolRouteSpec): ProtocolRoute {
  return { category: spec.method === 'GET' ? 'read' : 'change', ...spec };
}
