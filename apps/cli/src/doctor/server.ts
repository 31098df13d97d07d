import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { API_PREFIX } from '@svc/contract';
import type { Config } from '@svc/settings';
import { ask } from './ask.ts';
import { type Finding, failure, ok, skipped, warning } from './finding.ts';
import { messageOf } from './host.ts';

/** Checks whether the server at `address` is ready. */
export async function checkReadiness(address: string): Promise<Finding> {
  const check = 'server';
  try {
    const { status, body } = await ask(`${address}${API_PREFIX}/health/ready`);
    if (status === 200) return ok(check, `The server at ${address} is ready`);
    const fix = 'Look into its log, then into the other findings.';
    return failure(check, `The server at ${address} is not ready: ${status} ${body.slice(0, 200)}`, fix);
  } catch (error) {
    const message = `The server at ${address} does not answer: ${messageOf(error)}`;
    return failure(check, message, 'Look into its log; Appium runs on without a plugin it cannot load.');
  }
}

/**
 * Checks who gets Appium's session list, because it shows all sessions to every client if the server does not check
 * commands.
 */
export async function checkDiscovery(address: string, basePath: string, config: Config): Promise<Finding> {
  const check = 'session-discovery';
  try {
    const { status } = await ask(`${address}${basePath}/appium/sessions`);
    const isChecked = config.requireCommandAuth && !config.authDisabled && !config.commandAuthReportOnly;
    if (status !== 200) return ok(check, 'Appium lists its sessions to nobody');
    if (isChecked) return ok(check, 'Appium lists sessions, each caller their own (specification 5.7.8)');
    return warning(
      check,
      'Appium lists all sessions, with their ids, to everybody who asks',
      'Set SVC_REQUIRE_COMMAND_AUTH=true, or start Appium without the session_discovery feature.',
    );
  } catch (error) {
    return skipped(check, `The server did not answer: ${messageOf(error)}`);
  }
}

const LOOKS = 20;
const LOOK_EVERY_MS = 100;

/** Sends a session create with made-up secrets that no driver accepts, then searches the log file for the secrets. */
export async function checkLog(address: string, basePath: string, file: string): Promise<Finding> {
  const check = 'log-canary';
  const canary = `canary${randomBytes(12).toString('hex')}`;
  const mark = `svcdoctor${randomBytes(6).toString('hex')}`;
  const options = {
    accessKey: `svc_${canary}`,
    token: `svct_${canary}`,
    sessionToken: canary,
    leaseToken: canary,
  };
  const alwaysMatch = { platformName: mark, 'svc:options': options, 'lab:options': options };
  try {
    const before = readFileSync(file).length;
    await ask(`${address}${basePath}/session`, {
      method: 'POST',
      headers: { 'x-request-id': mark },
      json: { capabilities: { alwaysMatch, firstMatch: [{ 'svc:options': options }] } },
    });
    for (let look = 0; look < LOOKS; look++) {
      const written = readFileSync(file).subarray(before).toString('utf8');
      if (written.includes(canary)) return leaks(check, file);
      if (written.includes(mark) && look > 2) return ok(check, `Secrets of a create do not get into ${file}`);
      await pause(LOOK_EVERY_MS);
    }
    const message = `${file} has no line about a create just sent: it is not this server's log, or of a higher level`;
    return warning(check, message, 'Name the log of this server with --log, at level info or debug.');
  } catch (error) {
    return warning(
      check,
      `The log could not be checked: ${messageOf(error)}`,
      'Name its log file with --log.',
    );
  }
}

function leaks(check: string, file: string): Finding {
  const message = `A secret of a session create is in ${file}`;
  return failure(
    check,
    message,
    'Find out what logs it in front of svc: another plugin (list svc last in --use-plugins), a proxy, a wrapper.',
  );
}
