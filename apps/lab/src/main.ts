import { endOnClosedPipe, processSources, refuseOldNode } from '@svc/api';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { ConfigError, readConfig, readLabSettings } from '@svc/settings';
import { banner } from './banner.ts';
import { UnusableAddress } from './port.ts';
import type { ScriptedLab } from './scripted-lab.ts';
import { startLab } from './start.ts';
import { endInTime } from './stop.ts';

const complain = process.stderr.write.bind(process.stderr);

/**
 * Redirects standard error to standard output, so that the whole log is in one stream (contract 9). Appium would
 * otherwise write errors to standard error.
 */
function logToStandardOutput(): void {
  process.stderr.write = process.stdout.write.bind(process.stdout);
}

/** Starts scripted phones if the command line asks for them, and adds their variables to the environment. */
async function scriptedPhones(): Promise<ScriptedLab | undefined> {
  if (!process.argv.includes('--phones')) return undefined;
  // Loaded only here, because few starts need it.
  const { startScriptedLab } = await import('./scripted-lab.ts');
  const scripted = await startScriptedLab();
  for (const [name, value] of Object.entries(scripted.env))
    if (name === 'PATH' || process.env[name] === undefined) process.env[name] = value;
  return scripted;
}

/**
 * Starts a device lab on one machine: an Appium server with the svc plugin and virtual phones (contract 9), or with
 * `--phones` scripted phones for unmodified drivers.
 */
try {
  refuseOldNode();
  const started = endInTime();
  endOnClosedPipe(() => process.kill(process.pid, 'SIGTERM'));
  const scripted = await scriptedPhones();
  const sources = processSources();
  const { settings, warnings } = readLabSettings(sources);
  // The settings are read here for the banner. The plugin reads them again and logs their warnings.
  const { config } = readConfig(sources);
  for (const warning of warnings) console.warn(`svc: ${warning}`);
  logToStandardOutput();
  const lab = await startLab(settings, scripted?.drivers);
  started();
  const facts = {
    ...lab,
    email: config.bootstrap.email ?? DEFAULT_ADMIN_EMAIL,
    password: lab.builtInPassword ? DEFAULT_ADMIN_PASSWORD : null,
    signInOff: config.authDisabled,
    dataDir: config.dataDir,
  };
  console.log(banner(facts));
  for (const note of scripted?.notes ?? []) console.log(`  ${note}`);
  console.log(`svc ready on ${lab.url}`);
} catch (error) {
  process.stderr.write = complain;
  const isExpected = error instanceof UnusableAddress || error instanceof ConfigError;
  console.error('svc:', isExpected ? error.message : error);
  process.exit(1);
}
