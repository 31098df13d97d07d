import type { TrustClaim } from '../ports/trust-rules.ts';

interface CiService {
  /**
   * Claims with permanent ids of the project and its owner, in the order in which a suggested rule has them. They are
   * ids and not names, because anyone can register the name of a deleted repository or organization.
   */
  readonly ids: readonly string[];
  /** Host of the issuer that signs the tokens of all customers, if there is one. */
  readonly sharedIssuer?: string;
}

/**
 * A token belongs to the first service of which it has an id. The order matters, because the same name can mean
 * different things: `pipeline_id` is a project of Buildkite, but one run of GitLab.
 */
const CI_SERVICES: readonly CiService[] = [
  { ids: ['repository_id', 'repository_owner_id'], sharedIssuer: 'token.actions.githubusercontent.com' },
  { ids: ['project_id', 'namespace_id'], sharedIssuer: 'gitlab.com' },
  { ids: ['organization_id', 'pipeline_id'], sharedIssuer: 'agent.buildkite.com' },
  { ids: ['oidc.circleci.com/project-id'] },
];

/**
 * Recognizes the CI service of a token by its claims.
 * @returns the names of the claims with permanent ids that a rule for this service can require, or an empty list if the
 * service is unknown
 */
export function immutableIdsOf(claims: Readonly<Record<string, unknown>>): readonly string[] {
  return CI_SERVICES.find(({ ids }) => ids.some((id) => Object.hasOwn(claims, id)))?.ids ?? [];
}

/**
 * @returns the claims that identify a customer of this issuer, if the rule requires none of them. Undefined if it
 * requires one, or if the issuer is not known to have several customers. Without them, every customer of the issuer
 * could use the rule (contract 10.3)
 */
export function missingTenant(issuer: URL, claims: readonly TrustClaim[]): readonly string[] | undefined {
  // Ignore a trailing dot: `gitlab.com.` is the same host as `gitlab.com`.
  const host = issuer.hostname.replace(/\.$/, '');
  const wanted = CI_SERVICES.find(({ sharedIssuer }) => sharedIssuer === host)?.ids;
  return wanted === undefined || claims.some(({ claim }) => wanted.includes(claim)) ? undefined : wanted;
}
