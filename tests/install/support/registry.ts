import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { freePort, freshDataDir, type RunningProcess, runNode } from '../../support/lab.ts';
import { run } from '../../support/programs.ts';

const resolve = createRequire(import.meta.url).resolve;

export interface Registry {
  readonly url: string;
  /** Makes npm use the registry, with an account that may publish, regardless of the rest of the environment. */
  readonly env: Readonly<Record<string, string>>;
  publish(folder: string): Promise<void>;
  readonly process: RunningProcess;
}

/** Starts a package registry (Verdaccio). It fetches missing packages from the registry that this machine uses. */
export async function startRegistry(): Promise<Registry> {
  const folder = freshDataDir();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, 'config.yaml');
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  writeFileSync(config, JSON.stringify(settings(folder, upstream)));
  const process = runNode(resolve('verdaccio/bin/verdaccio'), {
    args: ['--config', config, '--listen', `127.0.0.1:${port}`],
  });
  await process.line(/http address/);
  const npmrc = join(folder, 'npmrc');
  writeFileSync(npmrc, `registry=${url}/\n//127.0.0.1:${port}/:_authToken=${await account(url)}\n`);
  // The address is also in the environment, because package managers set it there and it has priority over the file.
  const env = { npm_config_userconfig: npmrc, npm_config_registry: `${url}/` };
  return {
    url,
    env,
    process,
    publish: async (at) => {
      const { code, output } = await run('npm', ['publish', '--loglevel', 'error'], { cwd: at, env });
      if (code !== 0) throw new Error(`npm publish failed: ${output}`);
    },
  };
}

function settings(folder: string, upstream: string): object {
  const storage = join(folder, 'storage');
  mkdirSync(storage);
  return {
    storage,
    auth: { htpasswd: { file: join(folder, 'htpasswd') } },
    uplinks: { upstream: { url: upstream } },
    packages: {
      'appium-svc-*': { access: '$all', publish: '$authenticated' },
      '**': { access: '$all', proxy: 'upstream' },
    },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  };
}

async function account(url: string): Promise<string> {
  const response = await fetch(`${url}/-/user/org.couchdb.user:publisher`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'publisher', password: 'of-this-test-only' }),
  });
  const { token } = (await response.json()) as { token: string };
  return token;
}
