import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { banner } from './banner.ts';
import { readSettings, UnusableSetting } from './settings.ts';
import { startLab } from './start.ts';
import { endInTime } from './stop.ts';

const complain = process.stderr.write.bind(process.stderr);

/** Appium's whole log goes to standard output (contract 9); left alone, it sends errors to standard error. */
function logToStandardOutput(): void {
  process.stderr.write = process.stdout.write.bind(process.stdout);
}

/** A device lab on one machine: Appium, the plugin and virtual phones (contract 9). */
try {
  const started = endInTime();
  const { settings, warnings } = readSettings(process.env);
  for (const warning of warnings) console.warn(`svc: ${warning}`);
  logToStandardOutput();
  const lab = await startLab(settings);
  started();
  const facts = {
    ...lab,
    email: process.env.SVC_BOOTSTRAP_ADMIN_EMAIL || DEFAULT_ADMIN_EMAIL,
    password: lab.builtInPassword ? DEFAULT_ADMIN_PASSWORD : null,
    signInOff: process.env.SVC_AUTH_DISABLED === 'true',
    dataDir: resolve(process.env.SVC_DATA_DIR || join(homedir(), '.cache', 'svc')),
  };
  console.log(banner(facts));
  console.log(`svc ready on ${lab.url}`);
} catch (error) {
  process.stderr.write = complain;
  const told = error instanceof UnusableSetting ? error.message : error;
  console.error('svc:', told);
  process.exit(1);
}
