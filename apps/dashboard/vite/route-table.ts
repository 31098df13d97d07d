import { isPublic, routes } from '@svc/contract';
import type { Plugin } from 'vite';

const NAME = 'virtual:routes';
const RESOLVED = `\0${NAME}`;

/**
 * Vite plugin that provides the method, path and marks of every route. A page needs only these to call a route, so the
 * larger schemas stay out of the scripts.
 */
export function routeTable(): Plugin {
  return {
    name: 'svc-route-table',
    resolveId: (id) => (id === NAME ? RESOLVED : undefined),
    load: (id) => (id === RESOLVED ? `export const ROUTES = ${JSON.stringify(table())};` : undefined),
  };
}

/**
 * Returns the routes by name. The mark `s` means a body with a secret; `p` means a public route, whose 401 does not
 * mean that the sign-in has ended.
 */
function table(): Record<string, readonly [method: string, path: string, marks: string]> {
  return Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [
      name,
      [route.method, route.path, `${'sensitive' in route ? 's' : ''}${isPublic(route.access) ? 'p' : ''}`],
    ]),
  );
}
