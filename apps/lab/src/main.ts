import { endOnClosedPipe, processSources, refuseOldNode } from '@svc/api';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { ConfigError, readConfig, readLabSettings } from '@svc/settings';
import { banner } from './banner.ts';
import { UnusableAddress } from './port.ts';
import { startLab } from './start.ts';
import { endInTime } from './stop.ts';

const complain = process.stderr.write.bind(process.stderr);

/** Appium's whole log goes to standard output (contract 9); left alone, it sends errors to standard error. */
function logToStandardOutput(): void {
  process.stderr.write = process.stdout.write.bind(process.stdout);
}

/** A device lab on one machine: Appium, the plugin and virtual phones (contract 9). */
try {
  refuseOldNode();
  const started = endInTime();
  endOnClosedPipe(() => process.kill(process.pid, 'SIGTERM'));
  const sources = processSources();
  const { settings, warnings } = readLabSettings(sources);
  // The plugin reads these again and tells its warnings; here they are for the banner.
  const { config } = readConfig(sources);
  for (const warning of warnings) console.warn(`svc: ${warning}`);
  logToStandardOutput();
  const lab = await startLab(settings);
  started();
  const facts = {
    ...lab,
    email: config.bootstrap.email ?? DEFAULT_ADMIN_EMAIL,
    password: lab.builtInPassword ? DEFAULT_ADMIN_PASSWORD : null,
    signInOff: config.authDisabled,
    dataDir: config.dataDir,
    now: Date.now(),
  };
  console.log(banner(facts));
  console.log(`svc ready on ${lab.url}`);
} catch (error) {
  process.stderr.write = complain;
  const told = error instanceof UnusableAddress || error instanceof ConfigError ? error.message : error;
  console.error('svc:', told);
  process.exit(1);
}
