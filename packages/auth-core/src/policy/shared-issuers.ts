import type { TrustClaim } from '../ports/index.ts';

/**
 * Issuers that sign the tokens of all customers of a service, with the claims of which a rule must pin one. These
 * claims are ids that never change, because somebody else can register the name of a repository or organization again
 * (contract 10.3).
 */
const TENANT_CLAIMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['token.actions.githubusercontent.com', ['repository_id', 'repository_owner_id']],
  ['gitlab.com', ['project_id', 'namespace_id']],
  ['agent.buildkite.com', ['organization_id', 'pipeline_id']],
]);

/** Ids of workloads that never change, in the order in which a suggested rule names them. */
const CIRCLECI_PROJECT = 'oidc.circleci.com/project-id';
export const IMMUTABLE_IDS: readonly string[] = [...[...TENANT_CLAIMS.values()].flat(), CIRCLECI_PROJECT];

/**
 * @returns the claims of which a rule for this issuer must pin one, or undefined if the rule pins one or if the issuer
 * has only one tenant
 */
export function missingTenant(issuer: URL, claims: readonly TrustClaim[]): readonly string[] | undefined {
  // A trailing dot names the same host.
  const wanted = TENANT_CLAIMS.get(issuer.hostname.replace(/\.$/, ''));
  return wanted === undefined || claims.some(({ claim }) => wanted.includes(claim)) ? undefined : wanted;
}
