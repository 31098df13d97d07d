import type { TrustClaim } from '../ports/index.ts';

/**
 * Issuers that sign tokens for all customers of a service, each with the claims that identify a customer. A trust rule
 * (which lets CI jobs sign in) must require one of these claims, because every customer could use the rule otherwise.
 * The claims hold permanent ids and not names, because anyone can register the name of a deleted repository or
 * organization (contract 10.3).
 */
const TENANT_CLAIMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['token.actions.githubusercontent.com', ['repository_id', 'repository_owner_id']],
  ['gitlab.com', ['project_id', 'namespace_id']],
  ['agent.buildkite.com', ['organization_id', 'pipeline_id']],
]);

const CIRCLECI_PROJECT = 'oidc.circleci.com/project-id';
/**
 * Claims with the permanent ids of a repository, project or organization, in the order in which a suggested rule has
 * them.
 */
export const IMMUTABLE_IDS: readonly string[] = [...[...TENANT_CLAIMS.values()].flat(), CIRCLECI_PROJECT];

/**
 * @returns the claims that identify a customer of this issuer, if the rule requires none of them. Undefined if it
 * requires one, or if the issuer is not known to have several customers
 */
export function missingTenant(issuer: URL, claims: readonly TrustClaim[]): readonly string[] | undefined {
  // Ignore a trailing dot: `gitlab.com.` is the same host as `gitlab.com`.
  const wanted = TENANT_CLAIMS.get(issuer.hostname.replace(/\.$/, ''));
  return wanted === undefined || claims.some(({ claim }) => wanted.includes(claim)) ? undefined : wanted;
}
