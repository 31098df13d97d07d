import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
const START_MS = 60_000;

/**
 * A lab in a separate process, with a free port and a temporary folder. The process and the folder are removed when
 * this process ends.
 */
export interface LabProcess {
  readonly url: string;
  readonly dataDir: string;
  /** Returns everything that the lab has printed since its start. */
  output(): string;
  /** Stops the lab. Resolves with its exit code and the number of seconds that the shutdown took. */
  stop(): Promise<{ readonly code: number | null; readonly seconds: number }>;
}

/** Settings of the lab: it requires credentials for sessions and commands, and writes the most detailed log. */
const STRICT = {
  PORT: '0',
  HOST: '127.0.0.1',
  SVC_REQUIRE_SESSION_TOKEN: 'true',
  SVC_REQUIRE_COMMAND_AUTH: 'true',
  SVC_LAB_LOG_LEVEL: 'debug',
  SVC_LOG_LEVEL: 'debug',
};

export async function startLabProcess(): Promise<LabProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-demo-'));
  const child = spawn(process.execPath, [MAIN], {
    env: { ...withoutOwnSettings(process.env), ...STRICT, SVC_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => {
    child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });
  const exited = new Promise<number | null>((done) => {
    child.once('error', () => done(null));
    child.once('close', done);
  });
  let output = '';
  const url = await new Promise<string>((ready, failed) => {
    const fail = (why: string) => failed(new Error(`${why}. It printed:\n${output}`));
    const timer = setTimeout(() => fail('the lab was not ready in time'), START_MS);
    const collect = (text: string) => {
      output += text;
      const line = /^svc ready on (\S+)$/m.exec(output);
      if (line === null) return;
      clearTimeout(timer);
      ready(line[1] as string);
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    void exited.then((code) => {
      clearTimeout(timer);
      fail(`the lab ended with ${code}`);
    });
  });
  return {
    url,
    dataDir,
    output: () => output,
    stop: async () => {
      const began = performance.now();
      child.kill('SIGTERM');
      const code = await exited;
      return { code, seconds: (performance.now() - began) / 1000 };
    },
  };
}

/**
 * Returns the environment variables without those that configure svc or Appium, so that the settings in the user's
 * shell do not affect the tour.
 */
function withoutOwnSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:SVC|APPIUM)_/.test(name)));
}
