import { randomBytes, randomUUID } from 'node:crypto';
import { newTokenSecret } from '@svc/auth-core';
import { LEASE_TOKEN_PREFIX } from '@svc/contract';
import { describe, expect, it } from 'vitest';
import { readPage } from '../support/pages.ts';

const random = { bytes: randomBytes, uuid: randomUUID };
const page = readPage('docs/secret-scanning.md');
const hex = (length: number) => randomBytes(length).toString('hex').slice(0, length);

/** @returns the pattern in the table row that begins with `name`, without the Markdown quotes and escapes */
function cellOf(name: string): string {
  const [, cell = ''] = new RegExp(`^\\| ${name} +\\| \`(.+?)\` +\\|$`, 'm').exec(page.text) ?? [];
  return cell.replaceAll('\\|', '|');
}

const gitleaks = /regex = '''(.+?)'''/.exec(page.block('.gitleaks.toml'))?.[1] ?? '';
// Replace `\A` and `\z`, which JavaScript's regular expressions do not have.
const edges = (pattern: string) => pattern.replace('\\A', '^').replace('\\z', '$');
const github = `(?:${edges(cellOf('Before secret'))})(${cellOf('Secret format')})(?:${edges(cellOf('After secret'))})`;

describe.each([
  ['gitleaks', gitleaks],
  ['GitHub', github],
  ['the first table', `${cellOf('Profile token, API key, SCIM key')}|${cellOf('Token of a lease')}`],
])('the pattern for %s', (_name, pattern) => {
  const finds = (text: string) => new RegExp(pattern).test(text);

  it('the pattern for secret scanning finds tokens wherever somebody may have left them (contract 10.6)', () => {
    for (let round = 0; round < 50; round++) {
      for (const secret of [newTokenSecret(random), newTokenSecret(random, LEASE_TOKEN_PREFIX)]) {
        for (const text of [
          secret,
          `SVC_TOKEN=${secret}\n`,
          `{"token":"${secret}"}`,
          `-H 'x-svc-token: ${secret}'`,
          `https://lab.example.com/?token=${secret}&page=1`,
          `see \`${secret}\`.`,
        ])
          expect([text, finds(text)]).toEqual([text, true]);
      }
    }
  });

  it('the pattern for secret scanning leaves access keys and texts of another length alone (contract 10.6)', () => {
    for (const text of [
      `svc_${hex(24)}`,
      `svct_${hex(48)}`,
      `svct_${hex(50)}`,
      `svcl_${hex(10)}`,
      `xsvct_${hex(49)}`,
      `svct-${hex(49)}`,
      `SVCT_${hex(49)}`,
      'svct_…',
    ])
      expect([text, finds(text)]).toEqual([text, false]);
  });
});

it('the ruleset of GitLab names the file with the rule', () => {
  expect(page.block('.gitlab/secret-detection-ruleset.toml')).toContain('value = ".gitleaks.toml"');
});
