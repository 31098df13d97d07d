import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { readConfig } from '@svc/auth-core';
import { buildApp } from './app.ts';
import { openDeps } from './deps.ts';
import { createLog } from './logging.ts';

/** The API alone, without Appium (contract 9). */
const { config, warnings } = readConfig({
  env: process.env,
  homeDir: homedir(),
  readFile: (path) => readFileSync(path, 'utf8'),
  resolvePath: resolve,
});
const log = createLog(config.logLevel);
for (const warning of warnings) log.warn(warning);
const deps = await openDeps({ config, log });
const app = await buildApp(deps);

const stop = async (): Promise<void> => {
  await app.close();
  await deps.close();
  process.exit(0);
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);

const url = await app.listen({
  port: Number(process.env.PORT ?? 4723),
  host: process.env.HOST ?? '127.0.0.1',
});
console.log(`svc ready on ${url}`);
