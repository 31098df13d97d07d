import { routes } from '@svc/contract';
import type { Plugin } from 'vite';

const NAME = 'virtual:routes';
const RESOLVED = `\0${NAME}`;

/** Method, path and marks of every route, without its schemas: what a page needs to call it. */
export function routeTable(): Plugin {
  return {
    name: 'svc-route-table',
    resolveId: (id) => (id === NAME ? RESOLVED : undefined),
    load: (id) => (id === RESOLVED ? `export const ROUTES = ${JSON.stringify(table())};` : undefined),
  };
}

/** `s`: the body holds a secret; `p`: public, so that a 401 says nothing about who is signed in. */
function table(): Record<string, readonly [method: string, path: string, marks: string]> {
  return Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [
      name,
      [
        route.method,
        route.path,
        `${'sensitive' in route ? 's' : ''}${route.access.kind === 'public' ? 'p' : ''}`,
      ],
    ]),
  );
}
