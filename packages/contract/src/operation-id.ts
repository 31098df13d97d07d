import type { Route } from './define-route.ts';
import { routes } from './routes/index.ts';

/** Verbs with which an operation id may begin; the noun on which the operation acts follows. */
const VERBS = [
  'add',
  'change',
  'check',
  'clear',
  'create',
  'decide',
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
  'match',
  'open',
  'reauthenticate',
  'register',
  'release',
  'remove',
  'resend',
  'reset',
  'revoke',
  'rotate',
  'save',
  'set',
  'stream',
  'press',
  'swipe',
  'tap',
  'test',
  'type',
  'upload',
  'verify',
] as const;
const VERB_FIRST = new RegExp(`^(?:${VERBS.join('|')})(?=[A-Z]|$)`);

const names = new Map<Route, string>(Object.entries(routes).map(([name, route]) => [route, name]));

/**
 * @returns the operation id of a route in the OpenAPI document; generated clients name their methods after it
 *
 * The id is a verb and a noun in camel case. It is the route's name if that begins with a verb; otherwise `get` is put
 * in front of the name. An id must never change, because programs use the generated methods.
 */
export function operationIdOf(route: Route): string {
  const name = names.get(route);
  if (name === undefined) throw new Error(`${route.method} ${route.path} is not in the contract's routes`);
  const given = route.operationId ?? name;
  if (VERB_FIRST.test(given)) return given;
  if (route.method !== 'GET') throw new Error(`${given} does not begin with a verb of the list`);
  return `get${given.charAt(0).toUpperCase()}${given.slice(1)}`;
}
