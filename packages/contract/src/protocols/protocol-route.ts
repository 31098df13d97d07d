import type { Access } from '../access.ts';
import type { Category, Method } from '../define-route.ts';

/**
 * Value of `access` for a route with its own credential check, for example of SCIM keys. The code that registers the
 * route must pass this check to `handleProtocolRoute`; otherwise the server does not start.
 */
export const PROTOCOL_CHECKS = 'protocol' as const;

/**
 * Definition of a route outside `/svc/api` (contract 10). These routes accept no cookies. Therefore they need no origin
 * check: cookies are the only credentials that a browser adds to a request automatically.
 */
export interface ProtocolRoute {
  readonly method: Method;
  /** Full path, with `:name` for each parameter. */
  readonly path: `/${string}`;
  readonly access: Access | typeof PROTOCOL_CHECKS;
  readonly category: Category;
  /**
   * True if the route also works without a usable `SVC_PUBLIC_URL`. Without that setting, all other routes outside
   * `/svc/api` respond with 404.
   */
  readonly withoutPublicUrl?: true;
  /** True if pages of every origin may call the route. Browsers send no cookies with these requests. */
  readonly crossOrigin?: true;
  /**
   * True if an OAuth client may send its id and secret as user name and password of HTTP Basic authentication. A key
   * pair then counts in this spelling too.
   */
  readonly basicClients?: true;
  readonly summary: string;
}

export type ProtocolRouteSpec = Omit<ProtocolRoute, 'category'> & { readonly category?: Category };

export function defineProtocolRoute(spec: ProtocolRouteSpec): ProtocolRoute {
  return { category: spec.method === 'GET' ? 'read' : 'change', ...spec };
}
