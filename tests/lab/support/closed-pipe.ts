import { createRequire } from 'node:module';
import { expect } from 'vitest';
import { freshDataDir, type RunningProcess, request, runNode } from '../../support/lab.ts';

const resolve = createRequire(import.meta.url).resolve;

/** Closes the reading end of the output, as `head` does when it has read enough. */
export function closeOutput({ child }: RunningProcess): void {
  child.stdout?.destroy();
}

export function expectNoStackTrace(program: RunningProcess): void {
  expect(program.output()).not.toMatch(/EPIPE|^ {4}at /m);
}

/** Starts a server whose output has no reader, and sends a request that it may log. */
export async function serverWithoutReader(file: string): Promise<RunningProcess> {
  const server = runNode(resolve(file), {
    env: { PORT: '0', SVC_DATA_DIR: freshDataDir(), SVC_BCRYPT_COST: '10', SVC_LOG_LEVEL: 'debug' },
  });
  const url = (await server.line(/^svc ready on /)).slice('svc ready on '.length);
  closeOutput(server);
  await request(`${url}/status`).catch(() => undefined);
  return server;
}
