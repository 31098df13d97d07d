import type { TrustClaim } from '../ports/index.ts';

/**
 * Issuers that sign tokens for all customers of a service, each with the claims that identify a customer. A rule must
 * require one of these claims. The claims hold permanent ids and not names, because anyone can register the name of a
 * deleted repository or organization (contract 10.3).
 */
const TENANT_CLAIMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['token.actions.githubusercontent.com', ['repository_id', 'repository_owner_id']],
  ['gitlab.com', ['project_id', 'namespace_id']],
  ['agent.buildkite.com', ['organization_id', 'pipeline_id']],
]);

const CIRCLECI_PROJECT = 'oidc.circleci.com/project-id';
/** Claims with permanent ids of workloads, in the order in which a suggested rule lists them. */
export const IMMUTABLE_IDS: readonly string[] = [...[...TENANT_CLAIMS.values()].flat(), CIRCLECI_PROJECT];

/**
 * @returns a list of claims from which a rule for this shared issuer must require at least one. Undefined if the rule
 * requires one of them, or if the issuer has only one customer.
 */
export function missingTenant(issuer: URL, claims: readonly TrustClaim[]): readonly string[] | undefined {
  // Remove a trailing dot, because a host name with the dot names the same host.
  const wanted = TENANT_CLAIMS.get(issuer.hostname.replace(/\.$/, ''));
  return wanted === undefined || claims.some(({ claim }) => wanted.includes(claim)) ? undefined : wanted;
}
