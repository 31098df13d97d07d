import { type Access, atNode, isPublic, PROVING_CREDENTIALS, type Proof } from './access.ts';
import type { Route } from './define-route.ts';
import { ERROR_STATUS, type ErrorCode } from './errors.ts';
import { PROOF_SCHEMES, schemeOfProof } from './proofs.ts';

const CREDENTIAL: readonly ErrorCode[] = [
  ...PROVING_CREDENTIALS.map((kind) => PROOF_SCHEMES[kind].refusal),
  'unauthenticated',
];
const ORIGIN: readonly ErrorCode[] = [
  'CSRF: Origin or Referer header required',
  'CSRF: invalid Origin/Referer',
  'CSRF: Origin/Referer mismatch',
];
const BODY: readonly ErrorCode[] = ['body_too_large', 'unsupported_media_type'];
/** All error codes, in the order of `ERROR_STATUS`. */
const ORDER = Object.keys(ERROR_STATUS) as ErrorCode[];

/**
 * @returns every error code with which a route may refuse a request (contract 1, 2)
 *
 * These are the codes that follow from the route's method, access, parameters and body, and the codes that the route
 * declares.
 */
export function errorsOf(route: Route): readonly ErrorCode[] {
  const { method, access, params, errors = [] } = route;
  const found = new Set<ErrorCode>([
    // Every route can return this code, because bytes that are not a valid HTTP request can arrive at any address.
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
  if (isPublic(access)) return [];
  const ofNode: readonly ErrorCode[] = atNode(access) === 'hub' ? ['managed_by_hub'] : [];
  return [
    ...ofNode,
    'unavailable',
    ...(access.refusesAgents ? ['agents_mint_bearers_only' as const] : []),
    ...access.accepts.flatMap((proof) => errorsOfProof(proof, access, uncounted)),
  ];
}

function errorsOfProof(
  proof: Proof,
  { role, scope, fresh }: Access,
  uncounted: boolean,
): readonly ErrorCode[] {
  if (proof.by !== 'credential') return [PROOF_SCHEMES[schemeOfProof(proof)].refusal];
  return [
    ...CREDENTIAL,
    ...(proof.only === undefined
      ? []
      : [fresh ? ('fresh_sign_in_required' as const) : ('sign_in_required' as const)]),
    ...(role === undefined || role === 'Member' ? [] : ['insufficient_role' as const]),
    ...(scope === undefined && proof.mcpScope === undefined ? [] : ['insufficient_scope' as const]),
    ...(uncounted ? [] : ['rate limit exceeded' as const]),
  ];
}
