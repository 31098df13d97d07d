import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type KeyPair, SvcClient } from '@svc/client';

const EMAIL = 'bench@svc.local';
const PASSWORD = 'a password of benches';

/** The lab in its own process. */
export interface LabProcess {
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  stop(): Promise<void>;
}

export async function startLab(env: Readonly<Record<string, string>>): Promise<LabProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const main = createRequire(import.meta.url).resolve('@svc/lab/main.js');
  // The lab writes a CPU profile like the other servers of a benchmark.
  const folder = process.env.BENCH_PROFILE;
  const profiling = folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
  const child = spawn(process.execPath, [...profiling, main], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      SVC_DATA_DIR: dataDir,
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_BCRYPT_COST: '10',
      SVC_LAB_LOG_LEVEL: 'error',
      SVC_BOOTSTRAP_ADMIN_EMAIL: EMAIL,
      SVC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = 'svc ready on ';
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith(ready)) continue;
    child.stdout.resume();
    const stop = async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      rmSync(dataDir, { recursive: true, force: true });
    };
    return { url: line.slice(ready.length), pid: child.pid as number, dataDir, stop };
  }
  throw new Error('the lab did not start');
}

/** @returns the cookie of a new sign-in of the first account, as `name=value` */
export async function labCookie(url: string): Promise<string> {
  const answer = await fetch(`${url}/svc/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  });
  return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

/** @returns a key pair of the first account, with every scope */
export async function adminPair(url: string): Promise<KeyPair> {
  const client = new SvcClient({ url });
  await client.signIn(EMAIL, PASSWORD);
  const { token } = await client.createToken({ name: 'bench', scopes: ['admin'] });
  const { accessKey } = await client.call('accessKey');
  return { accessKey, token };
}
