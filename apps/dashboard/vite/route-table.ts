import { isPublic, routes } from '@svc/contract';
import type { Plugin } from 'vite';

const NAME = 'virtual:routes';
const RESOLVED = `\0${NAME}`;

/** Method, path and marks of every route without its schemas, which is what a page needs to call it. */
export function routeTable(): Plugin {
  return {
    name: 'svc-route-table',
    resolveId: (id) => (id === NAME ? RESOLVED : undefined),
    load: (id) => (id === RESOLVED ? `export const ROUTES = ${JSON.stringify(table())};` : undefined),
  };
}

/** `s` marks a body with a secret. `p` marks a public route, whose 401 does not mean that the sign-in has ended. */
function table(): Record<string, readonly [method: string, path: string, marks: string]> {
  return Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [
      name,
      [route.method, route.path, `${'sensitive' in route ? 's' : ''}${isPublic(route.access) ? 'p' : ''}`],
    ]),
  );
}
