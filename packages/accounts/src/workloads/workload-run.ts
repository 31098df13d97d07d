import { oneLine } from '@svc/module';
import type { TrustClaim } from '../ports/trust-rules.ts';
import { immutableIdsOf } from './shared-issuers.ts';

type Claims = Readonly<Record<string, unknown>>;

const LONGEST_SUBJECT = 512;
const LONGEST_RUN = 200;

/** Names of the claims that hold the project, the branch and the run, for each CI service. */
const RUN_CLAIMS = [
  { project: ['repository'], ref: 'ref', word: 'run', number: ['run_number', 'run_id'] },
  { project: ['project_path'], ref: 'ref', word: 'pipeline', number: ['pipeline_id'] },
  {
    project: ['organization_slug', 'pipeline_slug'],
    ref: 'build_branch',
    word: 'build',
    number: ['build_number'],
  },
  {
    project: ['oidc.circleci.com/vcs-origin'],
    ref: 'oidc.circleci.com/vcs-ref',
    word: 'job',
    number: ['oidc.circleci.com/job-id'],
  },
  { project: ['sub'], ref: '', word: 'build', number: ['build_number'] },
] as const;

/** @returns the claim `sub` of a token, shortened to the maximum length that is stored */
export function subjectOf(claims: Claims): string {
  return typeof claims.sub === 'string' ? claims.sub.slice(0, LONGEST_SUBJECT) : '';
}

/** @returns a short description of the CI run for people, such as `owner/repo@main, run 812` */
export function runOf(claims: Claims): string {
  for (const { project, ref, word, number } of RUN_CLAIMS) {
    const names = project.map((name) => textOf(claims, name));
    if (names.includes(undefined)) continue;
    const branch = textOf(claims, ref)?.replace(/^refs\/(?:heads|tags)\//, '');
    const count = number.map((name) => textOf(claims, name)).find((text) => text !== undefined);
    const place = `${names.join('/')}${branch === undefined ? '' : `@${branch}`}`;
    return oneLine(count === undefined ? place : `${place}, ${word} ${count}`).slice(0, LONGEST_RUN);
  }
  return '';
}

/**
 * @returns the claims of a trust rule that accepts later tokens of the same project: permanent ids, or the subject if
 * the token has none. Names are left out, because anyone can register the name of a deleted project
 */
export function suggestedClaims(claims: Claims): TrustClaim[] {
  const ids = immutableIdsOf(claims).flatMap((claim): TrustClaim[] => {
    const value = textOf(claims, claim);
    return value === undefined ? [] : [{ claim, anyOf: [value] }];
  });
  const sub = textOf(claims, 'sub');
  return ids.length > 0 || sub === undefined ? ids : [{ claim: 'sub', anyOf: [sub] }];
}

function textOf(claims: Claims, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof value === 'string' && value !== '') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}
