import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanUp } from '../support/programs.ts';
import { npx, type WrittenDocument, writtenDocument } from './support/document.ts';

let document: WrittenDocument;

beforeAll(async () => {
  document = await writtenDocument();
});
afterAll(cleanUp);

it('Redocly finds nothing to say about the document, by its recommended rules (contract 2)', async () => {
  const { file, folder } = document;
  const rules = {
    // The rule is off, because two routes only redirect: the start and the callback of the sign-in through a provider.
    'operation-2xx-response': 'off',
    // Without `allowAdditionalProperties`, the rule refuses in each branch of an `if` all fields that the branch does
    // not name.
    'no-invalid-media-type-examples': { severity: 'warn', allowAdditionalProperties: true },
  };
  const config = join(folder, 'redocly.yaml');
  writeFileSync(config, JSON.stringify({ extends: ['recommended'], rules }));
  const args = ['lint', file, '--config', config, '--format', 'json'];
  const { code, output } = await npx(folder, '@redocly/cli@2.77.0', args);
  expect(output).toMatch(/"totals": \{\s*"errors": 0,\s*"warnings": 0,\s*"ignored": 0\s*\}/);
  expect(code).toBe(0);
}, 180_000);

it('Spectral finds nothing to say about the document, by all rules of spectral:oas it recommends (contract 2)', async () => {
  const { file, folder } = document;
  const ruleset = join(folder, 'ruleset.json');
  writeFileSync(ruleset, JSON.stringify({ extends: ['spectral:oas'] }));
  const args = ['lint', file, '--ruleset', ruleset, '--fail-severity', 'hint'];
  const { code, output } = await npx(folder, '@stoplight/spectral-cli@6.16.3', args);
  expect(output).toContain("No results with a severity of 'hint' or higher found!");
  expect(code).toBe(0);
}, 180_000);
