import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/programs.ts';
import { Copy } from './copy.ts';
import { addPage, addRoute, addRule, addScheme, addServerTest, addStart } from './toys.ts';

/** Time to build and type-check everything that a recipe changes. */
const BUILD_MS = 420_000;

describe('the recipes of CONTRIBUTING.md, followed in a copy of the repository', () => {
  let copy: Copy;

  const inCopy = async (tool: string, args: readonly string[], folder = '.') => {
    const file = join(copy.folder, folder, 'node_modules', tool);
    const { code, output } = await run(process.execPath, [file, ...args], { cwd: join(copy.folder, folder) });
    expect(code, output).toBe(0);
    return output;
  };
  const test = (project: string, ...args: string[]) =>
    inCopy('vitest/vitest.mjs', ['run', '--project', project, ...args]);

  beforeAll(async () => {
    copy = new Copy();
    addRoute(copy);
    addScheme(copy);
    addStart(copy);
    addRule(copy);
    addPage(copy);
    addServerTest(copy);
    await inCopy('typescript/bin/tsc', ['-b']);
    await inCopy('../write-open-api.mjs', [], 'packages/contract');
    await inCopy('vite/bin/vite.js', ['build'], 'apps/dashboard');
  }, BUILD_MS);

  it(
    'a route is in the golden files, which the test writes',
    async () => {
      await test('integration', 'tests/golden', '-u');
      expect(copy.read('tests/golden/routes.json')).toContain('"path":"/svc/api/toys/:id"');
      expect(copy.read('tests/golden/openapi.json')).toContain('"getToy"');
    },
    BUILD_MS,
  );

  it(
    'a scheme, a start and a rule pass their tests and those of every other one',
    async () => {
      await test(
        'unit',
        'packages/contract',
        'packages/auth-core',
        'packages/device-lab',
        'packages/contract/test/open-api.test.ts',
      );
    },
    BUILD_MS,
  );

  it(
    'a route, a scheme and a page work on a server',
    async () => {
      await test('integration', 'tests/conformance/toys.test.ts');
      // Exclude the test of the page size, because the limit is not part of the recipe.
      await test('dashboard', '--exclude', '**/first-load.test.ts');
    },
    BUILD_MS,
  );
});
