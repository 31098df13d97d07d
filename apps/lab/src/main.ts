import { endOnClosedPipe, processSources, refuseOldNode } from '@svc/api';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { ConfigError, readConfig, readLabSettings } from '@svc/settings';
import { banner } from './banner.ts';
import { UnusableAddress } from './port.ts';
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

/** Starts a device lab on one machine: an Appium server with the svc plugin and virtual phones (contract 9). */
try {
  refuseOldNode();
  const started = endInTime();
  endOnClosedPipe(() => process.kill(process.pid, 'SIGTERM'));
  const sources = processSources();
  const { settings, warnings } = readLabSettings(sources);
  // The settings are read here for the banner. The plugin reads them again and logs their warnings.
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
  };
  console.log(banner(facts));
  console.log(`svc ready on ${lab.url}`);
} catch (error) {
  process.stderr.write = complain;
  const isExpected = error instanceof UnusableAddress || error instanceof ConfigError;
  console.error('svc:', isExpected ? error.message : error);
  process.exit(1);
}
