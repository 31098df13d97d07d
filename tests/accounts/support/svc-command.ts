import { createRequire } from 'node:module';
import { type RunningServer, runNode } from '../../support/lab.ts';

const CLI = createRequire(import.meta.url).resolve('@svc/cli/main.js');

/** Runs `svc …` on the data folder of a server; `input` is its standard input. */
export async function svc(dataDir: string, args: readonly string[], input?: string) {
  const env = { SVC_DATA_DIR: dataDir, SVC_BCRYPT_COST: '10' };
  if (input === undefined) {
    const program = runNode(CLI, { env, args });
    const { code } = await program.exited;
    return { code, stdout: program.stdout().trim(), output: program.output() };
  }
  const { spawnSync } = await import('node:child_process');
  const done = spawnSync(process.execPath, [CLI, ...args], { input, env: { ...process.env, ...env } });
  return { code: done.status, stdout: String(done.stdout).trim(), output: String(done.stderr) };
}

export const me = async (server: RunningServer, headers: Record<string, string>) =>
  (await server.api('/auth/me', { headers })).status;
