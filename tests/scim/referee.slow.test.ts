import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../conformance/support/world.ts';
import { startApi } from '../support/lab.ts';
import { cleanUp, pythonWith, run, runFolder } from '../support/programs.ts';

const REFEREE = fileURLToPath(new URL('support/referee.py', import.meta.url));

afterAll(cleanUp);

describe('scim2-tester', () => {
  it('scim2-tester finds nothing that departs from RFC 7643 and RFC 7644 (contract 10.5)', {
    timeout: 120_000,
  }, async () => {
    const python = await pythonWith('scim2-tester[httpx2]==0.5.2\n');
    const world = await World.start(startApi, { SVC_PUBLIC_URL: 'https://lab.example.com' });
    const json = { name: 'referee', kind: 'scim', rateLimit: 100_000 };
    const { token } = await world.ok('POST', '/apikeys', { as: world.root.as, json });
    const folder = runFolder('scim2-tester');
    const script = join(folder, 'referee.py');
    writeFileSync(script, readFileSync(REFEREE));
    const env = { SCIM_URL: `${world.url}/svc/scim/v2`, SCIM_KEY: token };
    const { code, output } = await run(python, [script], { cwd: folder, env });
    await world.server.stop();
    expect(code, output).toBe(0);
    const results = output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    expect(results.length).toBeGreaterThan(30);
    expect(results.filter(({ status }) => status === 'ERROR' || status === 'CRITICAL')).toEqual([]);
    const skipped = results.filter(({ status }) => status === 'SKIPPED');
    expect(skipped.map(({ check }) => check)).toEqual([expect.stringMatching(/search/i)]);
  });
});
