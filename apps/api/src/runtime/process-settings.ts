import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Log } from '@svc/auth-core';
import { type Config, exposureWarning, posture, type Sources } from '@svc/settings';

/** Variables of svc that `hideSettings` has removed from the environment. */
const hidden: Record<string, string | undefined> = {};

/**
 * Removes the variables of svc, which contain secrets, from an environment, so that the processes which drivers start
 * do not inherit them (contract 14.1). `processSources` still returns them.
 */
export function hideSettings(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(environment)) {
    if (!/^svc_/i.test(name)) continue;
    hidden[name] = value;
    delete environment[name];
  }
}

/**
 * Returns the sources of this process's settings: its environment variables, and the plugin options of a host program
 * such as Appium.
 */
export function processSources(options?: Sources['options']): Sources {
  return {
    env: { ...hidden, ...process.env },
    options,
    homeDir: homedir(),
    readFile: (path) => readFileSync(path, 'utf8'),
    resolvePath: resolve,
  };
}

/**
 * Logs the warnings about the settings, and which checks this server enforces, as every server does at its start
 * (contract 5).
 * @param host address that the server listens on
 */
export function reportSettings(log: Log, config: Config, warnings: readonly string[], host: string): void {
  const exposure = exposureWarning(config, host);
  for (const warning of exposure === undefined ? warnings : [...warnings, exposure]) log.warn(warning);
  log.info(posture(config));
}
