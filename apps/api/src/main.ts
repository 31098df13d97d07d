import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { readConfig } from '@svc/auth-core';
import { buildApp } from './app.ts';
import { createLog } from './logging.ts';
import { openServices } from './services.ts';

const DEFAULT_PORT = 4723;

/** The API alone, without Appium (contract 9). */
async function start(): Promise<string> {
  const { config, warnings } = readConfig({
    env: process.env,
    homeDir: homedir(),
    readFile: (path) => readFileSync(path, 'utf8'),
    resolvePath: resolve,
  });
  const port = readPort(process.env.PORT, warnings);
  const log = createLog(config.logLevel);
  for (const warning of warnings) log.warn(warning);
  const services = await openServices({ config, log });
  const app = await buildApp(services);
  const stop = async (): Promise<void> => {
    await app.close();
    await services.close();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  return await app.listen({ port, host: process.env.HOST || '127.0.0.1' });
}

function readPort(given: string | undefined, warnings: string[]): number {
  if (given === undefined || given === '') return DEFAULT_PORT;
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given);
  warnings.push('PORT is not a port number; using the default');
  return DEFAULT_PORT;
}

try {
  console.log(`svc ready on ${await start()}`);
} catch (error) {
  // For the person at the terminal: what is wrong, not where in the code it was noticed.
  const { message, cause } = error as Error;
  console.error(`svc: ${message}${cause instanceof Error ? `: ${cause.message}` : ''}`);
  process.exit(1);
}
