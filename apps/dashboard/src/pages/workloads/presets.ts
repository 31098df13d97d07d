import type { texts } from '../../texts/en.ts';

export type PresetName = keyof typeof texts.workloads.presets;

interface Preset {
  readonly issuer: string;
  /** Initial lines of the claims field, in which the user fills in the values. */
  readonly claims: string;
}

/**
 * Initial values of the form for each CI service: its issuer, and claims by which a rule recognises the jobs of one
 * project.
 */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  github: {
    issuer: 'https://token.actions.githubusercontent.com',
    claims: 'repository_id = \nrepository_owner_id = \nref = refs/heads/main',
  },
  gitlab: { issuer: 'https://gitlab.com', claims: 'project_id = \nnamespace_id = \nref_protected = true' },
  buildkite: { issuer: 'https://agent.buildkite.com', claims: 'organization_id = \npipeline_id = ' },
  circleci: { issuer: 'https://oidc.circleci.com/org/', claims: 'oidc.circleci.com/project-id = ' },
  jenkins: { issuer: 'https://jenkins.example/oidc', claims: 'sub = https://jenkins.example/job/nightly/' },
  other: { issuer: 'https://', claims: '' },
};

export interface Claim {
  readonly claim: string;
  readonly anyOf: readonly (string | number | boolean)[];
}

export function linesOf(claims: readonly Claim[]): string {
  return claims.map(({ claim, anyOf }) => `${claim} = ${anyOf.join(', ')}`).join('\n');
}

/** @returns the claims that the lines contain, or undefined if a line has no name or no value */
export function claimsOf(lines: string): Claim[] | undefined {
  const claims = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.indexOf('=');
      const values = line.slice(at + 1).split(',');
      return { claim: line.slice(0, Math.max(0, at)).trim(), anyOf: values.map((value) => value.trim()) };
    });
  const isWhole = claims.every(({ claim, anyOf }) => claim !== '' && anyOf.every((value) => value !== ''));
  return claims.length > 0 && isWhole ? claims : undefined;
}
