import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyJavaClient, JAR, JAVA_CLIENT, maven } from '../support/java-client.ts';
import { type RunningServer, signIn, startLab } from '../support/lab.ts';
import { cleanUp, runFolder } from '../support/programs.ts';

const REPORTS = join(JAVA_CLIENT, 'target/surefire-reports');

let lab: RunningServer;

beforeAll(async () => {
  lab = await startLab({
    env: { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true', SVC_LAB_LOG_LEVEL: 'debug' },
  });
});
afterAll(async () => {
  cleanUp();
  await lab?.stop();
});

/** @returns the numbers of JUnit's report, summed over all classes */
function counted(): Record<'tests' | 'errors' | 'failures' | 'skipped', number> {
  const sum = { tests: 0, errors: 0, failures: 0, skipped: 0 };
  for (const file of readdirSync(REPORTS).filter((name) => name.endsWith('.xml'))) {
    const suite = /<testsuite [^>]*>/.exec(readFileSync(join(REPORTS, file), 'utf8'))?.[0] ?? '';
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) {
      sum[name] += Number(new RegExp(` ${name}="(\\d+)"`).exec(suite)?.[1]);
    }
  }
  return sum;
}

async function apiKey(): Promise<{ accessKey: string; token: string }> {
  const cookie = await signIn(lab.url);
  const ask = async (path: string, json?: object) => {
    const answer = await lab.api(path, { headers: { cookie }, ...(json ? { method: 'POST', json } : {}) });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as { accessKey: string; token: string };
  };
  const { token } = await ask('/apikeys', { name: 'java', scopes: ['admin'] });
  return { accessKey: (await ask('/profile/access-key')).accessKey, token };
}

describe('the Java client', () => {
  test('the Java client’s own tests pass, also against a lab that checks every command (contract 2, leases; spec 5.3, 5.4.1, 5.7.2)', async () => {
    const { accessKey, token } = await apiKey();
    rmSync(REPORTS, { recursive: true, force: true });
    const env = { SVC_URL: lab.url, SVC_ACCESS_KEY: accessKey, SVC_TOKEN: token };
    const { code, output } = await maven(JAVA_CLIENT, ['surefire:test', '-DexcludedGroups='], env);
    expect(code, output).toBe(0);
    const { tests, ...others } = counted();
    expect(others).toEqual({ errors: 0, failures: 0, skipped: 0 });
    expect(tests).toBeGreaterThan(40);
    expect(output).not.toContain(token);
    expect(lab.output()).not.toContain(token);
    const leases = await lab.api('/leases', {
      headers: { 'x-svc-access-key': accessKey, 'x-svc-token': token },
    });
    expect(await leases.json()).toEqual([]);
  });

  test('the Java client’s jar is small and the same, byte for byte, wherever it is built (contract 9)', async () => {
    const folder = runFolder('java-client');
    copyJavaClient(folder);
    const { code, output } = await maven(folder, ['package', '-Dmaven.test.skip']);
    expect(code, output).toBe(0);
    const first = readFileSync(join(JAVA_CLIENT, JAR));
    expect(readFileSync(join(folder, JAR)).equals(first)).toBe(true);
    expect(first.includes('META-INF/LICENSE')).toBe(true);
    expect(statSync(join(folder, JAR)).size).toBeLessThan(100_000);
  });

  test('the Java client has the version of all packages (contract 9)', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(readFileSync(join(JAVA_CLIENT, 'pom.xml'), 'utf8')).toContain(
      `<artifactId>appium-svc-client</artifactId>\n  <version>${version}</version>`,
    );
    const page = readFileSync(new URL('../../docs/clients/java.md', import.meta.url), 'utf8');
    expect(page).toContain(`<artifactId>appium-svc-client</artifactId>\n      <version>${version}</version>`);
  });
});
