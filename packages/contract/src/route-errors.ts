import { type Access, atNode } from './access.ts';
import type { Route } from './define-route.ts';
import { ERROR_STATUS, type ErrorCode } from './errors.ts';

const CREDENTIAL: readonly ErrorCode[] = [
  'invalid credentials',
  'invalid token',
  'invalid session',
  'unauthenticated',
];
const ORIGIN: readonly ErrorCode[] = [
  'CSRF: Origin or Referer header required',
  'CSRF: invalid Origin/Referer',
  'CSRF: Origin/Referer mismatch',
];
const BODY: readonly ErrorCode[] = ['body_too_large', 'unsupported_media_type'];
/** Error codes in the order of the table. */
const ORDER = Object.keys(ERROR_STATUS) as ErrorCode[];

/**
 * @returns every error code a route may be refused with: those that follow from its method, access, parameters and
 * body, and those that it declares (contract 1, 2)
 */
export function errorsOf(route: Route): readonly ErrorCode[] {
  const { method, access, params, errors = [] } = route;
  const found = new Set<ErrorCode>([
    // Any address may receive bytes that are not a valid HTTP request.
    'bad_request',
    'internal',
    ...(method === 'GET' ? [] : [...ORIGIN, ...BODY]),
    ...(params === undefined ? [] : ['not_found' as const]),
    ...errorsOfAccess(access, route.uncounted === true),
    ...errors,
  ]);
  return ORDER.filter((code) => found.has(code));
}

function errorsOfAccess(access: Access, uncounted: boolean): readonly ErrorCode[] {
  if (access.kind === 'public') return [];
  const ofNode: readonly ErrorCode[] = atNode(access) === 'hub' ? ['managed_by_hub'] : [];
  if (access.kind === 'ticket') {
    return [
      ...ofNode,
      'invalid ticket',
      ...(access.orHub === undefined ? [] : ['invalid token' as const]),
      'unavailable',
    ];
  }
  const { role, scope, only, orTicket } = access;
  return [
    ...ofNode,
    ...CREDENTIAL,
    'unavailable',
    ...(orTicket ? ['invalid ticket' as const] : []),
    ...(only === undefined ? [] : ['sign_in_required' as const]),
    ...(role === undefined || role === 'Member' ? [] : ['insufficient_role' as const]),
    ...(scope === undefined ? [] : ['insufficient_scope' as const]),
    ...(uncounted ? [] : ['rate limit exceeded' as const]),
  ];
}
