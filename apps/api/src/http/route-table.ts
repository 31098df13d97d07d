import {
  type Access,
  API_PREFIX,
  type Category,
  isPublic,
  mustSayAtNode,
  PROTOCOL_PREFIXES,
  protocolRoutes,
  routes,
  WELL_KNOWN,
} from '@svc/contract';
import type { FastifyInstance } from 'fastify';
import { isSafe, rateCategory } from './rate-category.ts';

/** A route of the API or of a protocol with its access rule, as listed by the API's access matrix. */
export interface RouteRow {
  readonly method: string;
  readonly path: string;
  readonly access: Access;
  readonly category: Category;
  /** Whether requests to the route must pass the origin check (specification 5.6.1). */
  readonly originCheck: boolean;
}

/**
 * Returns whether a route belongs to the API: its URL is `/svc/api` or below it. A page such as `/svc/api-keys` does
 * not belong to the API.
 */
export function isApi(url: string): boolean {
  return url.startsWith(API_PREFIX) && !/[\w-]/.test(url.charAt(API_PREFIX.length));
}

const PREFIXES = Object.values(PROTOCOL_PREFIXES);
const DOCUMENTS: ReadonlySet<string> = new Set(Object.values(WELL_KNOWN));

/**
 * Returns whether the guard checks the requests to a route, so that the route must declare an access: it belongs to the
 * API or to a protocol such as OAuth or SCIM, or it is a metadata document.
 */
export function isGuarded(url: string): boolean {
  return (
    isApi(url) ||
    DOCUMENTS.has(url) ||
    PREFIXES.some((prefix) => url === prefix || url.startsWith(`${prefix}/`))
  );
}

function below(url: string): string {
  return url.slice(API_PREFIX.length);
}

/** Returns whether a route with the given HTTP methods only reads data (specification 8.1.1). */
export function isReading(method: string | readonly string[]): boolean {
  return [method].flat().every((each) => isSafe(each));
}

/**
 * Collects every route that is added to `app`. Throws, so that the server does not start, if a route under `/svc/api`
 * or of a protocol declares no access, because the guard could not check its callers. Also throws if a route about
 * phones or sessions does not declare who may call it on a node.
 */
export function collectRoutes(app: FastifyInstance): readonly RouteRow[] {
  const rows: RouteRow[] = [];
  app.addHook('onRoute', (route) => {
    if (!isGuarded(route.url)) return;
    for (const method of [route.method].flat()) {
      // @fastify/cors adds an OPTIONS route that declares no access. This is safe, because the guard refuses every
      // request to a route without a declared access.
      if (method === 'OPTIONS') continue;
      const access = route.config?.access;
      if (access === undefined) throw new Error(`${method} ${route.url} declares no access`);
      if (
        isApi(route.url) &&
        !isPublic(access) &&
        access.atNode === undefined &&
        mustSayAtNode(below(route.url))
      )
        throw new Error(`${method} ${route.url} does not say who may call it on a node`);
      if (method === 'HEAD') continue;
      const safe = isReading(method);
      const category = rateCategory(method, route.config?.category ?? 'change');
      rows.push({ method, path: route.url, access, category, originCheck: !safe });
    }
  });
  return rows;
}

/**
 * Throws, so that the server does not start, if a route of the contract has no handler, because clients expect every
 * route of the contract to exist.
 */
export function checkComplete(rows: readonly RouteRow[]): void {
  const served = new Set(rows.map(({ method, path }) => `${method} ${path}`));
  const own = Object.values(routes).map(({ method, path }) => `${method} ${API_PREFIX}${path}`);
  const ofProtocols = Object.values(protocolRoutes).map(({ method, path }) => `${method} ${path}`);
  for (const name of [...own, ...ofProtocols]) {
    if (!served.has(name)) throw new Error(`${name} has no handler`);
  }
}
