import { describe, expect, it } from 'vitest';
import { suggestedClaims } from '../src/workloads/workload-run.ts';

const namesOf = (claims: Record<string, unknown>) => suggestedClaims(claims).map(({ claim }) => claim);

describe('the claims of a suggested trust rule', () => {
  it.each([
    [
      'GitLab',
      {
        project_path: 'a/b',
        project_id: '7',
        namespace_id: '9',
        pipeline_id: '812',
        sub: 'project_path:a/b',
      },
      ['project_id', 'namespace_id'],
    ],
    [
      'GitHub',
      { repository: 'a/b', repository_id: '7', repository_owner_id: '9', run_id: '1' },
      ['repository_id', 'repository_owner_id'],
    ],
    [
      'Buildkite',
      { organization_id: 'o', pipeline_id: 'p', build_number: 3, sub: 'organization:o' },
      ['organization_id', 'pipeline_id'],
    ],
    ['CircleCI', { 'oidc.circleci.com/project-id': '7', sub: 'org/o' }, ['oidc.circleci.com/project-id']],
    ['another service', { sub: 'job-7', build_number: 3 }, ['sub']],
  ])(
    'the claims of a suggested trust rule are the permanent ids of %s and name no single run (contract 10.3)',
    (_service, claims, expected) => {
      expect(namesOf(claims)).toEqual(expected);
    },
  );
});
