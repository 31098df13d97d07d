import type { Route } from './define-route.ts';
import { routes } from './routes/index.ts';

/** What a name of an operation begins with; the noun it acts on follows. */
const VERBS = [
  'add',
  'change',
  'check',
  'clear',
  'create',
  'delete',
  'download',
  'end',
  'explain',
  'export',
  'forgot',
  'get',
  'issue',
  'list',
  'login',
  'logout',
  'open',
  'register',
  'remove',
  'reset',
  'revoke',
  'rotate',
  'save',
  'set',
  'stream',
  'tap',
  'test',
  'type',
  'upload',
  'verify',
] as const;
const VERB_FIRST = new RegExp(`^(?:${VERBS.join('|')})(?=[A-Z]|$)`);

const names = new Map<Route, string>(Object.entries(routes).map(([name, route]) => [route, name]));

/**
 * The operation's name in the OpenAPI document, which generated clients name their methods by. One rule: a verb, then
 * what it acts on, in camel case. It is the route's name where that begins with a verb, with `get` before it where it
 * is a noun. It never changes: programs are written against it.
 */
export function operationIdOf(route: Route): string {
  const name = names.get(route);
  if (name === undefined) throw new Error(`${route.method} ${route.path} is not in the contract's routes`);
  const given = route.operationId ?? name;
  if (VERB_FIRST.test(given)) return given;
  if (route.method !== 'GET') throw new Error(`${given} begins with no verb of an operation`);
  return `get${given.charAt(0).toUpperCase()}${given.slice(1)}`;
}
