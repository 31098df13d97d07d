import { isSafe } from '@svc/auth-core';
import { type Access, API_PREFIX, type Category, isPublic, mustSayAtNode, routes } from '@svc/contract';
import type { FastifyInstance } from 'fastify';

/** One row of the route table, from which the golden file and the access matrix are made. */
export interface RouteRow {
  readonly method: string;
  readonly path: string;
  readonly access: Access;
  readonly category: Category;
  /** Whether the origin check applies (specification 5.6.1). */
  readonly originCheck: boolean;
}

/**
 * Whether a route belongs to the API. It does below `/svc/api`, patterns included, but a page such as `/svc/api-keys`
 * does not.
 */
export function isApi(url: string): boolean {
  return url.startsWith(API_PREFIX) && !/[\w-]/.test(url.charAt(API_PREFIX.length));
}

function below(url: string): string {
  return url.slice(API_PREFIX.length);
}

/** Whether a route of these methods only reads (specification 8.1.1). */
export function isReading(method: string | readonly string[]): boolean {
  return [method].flat().every((each) => isSafe(each));
}

/**
 * Collects every route of `app` as it is added. The start fails if a route under `/svc/api` declares no access, so that
 * no route is left open by mistake, or if a route about phones or sessions does not declare who may call it on a node.
 */
export function collectRoutes(app: FastifyInstance): readonly RouteRow[] {
  const rows: RouteRow[] = [];
  app.addHook('onRoute', (route) => {
    if (!isApi(route.url)) return;
    for (const method of [route.method].flat()) {
      // The preflight route of @fastify/cors is skipped, because the guard runs before it.
      if (method === 'OPTIONS') continue;
      const access = route.config?.access;
      if (access === undefined) throw new Error(`${method} ${route.url} declares no access`);
      if (!isPublic(access) && access.atNode === undefined && mustSayAtNode(below(route.url)))
        throw new Error(`${method} ${route.url} does not say who may call it on a node`);
      if (method === 'HEAD') continue;
      const safe = isReading(method);
      const category = safe ? 'read' : route.config?.usesAi ? 'ai' : 'change';
      rows.push({ method, path: route.url, access, category, originCheck: !safe });
    }
  });
  return rows;
}

/** Fails the start if a route of the contract has no handler, because clients can call it by name. */
export function checkComplete(rows: readonly RouteRow[]): void {
  const served = new Set(rows.map(({ method, path }) => `${method} ${path}`));
  for (const { method, path } of Object.values(routes)) {
    const name = `${method} ${API_PREFIX}${path}`;
    if (!served.has(name)) throw new Error(`${name} has no handler`);
  }
}
