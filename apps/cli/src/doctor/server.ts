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
    const fix = 'Read its log, then the other findings.';
    return failure(check, `The server at ${address} is not ready: ${status} ${body.slice(0, 200)}`, fix);
  } catch (error) {
    const message = `The server at ${address} does not respond: ${messageOf(error)}`;
    return failure(
      check,
      message,
      'Read its log. If Appium cannot load the plugin, it runs without the plugin.',
    );
  }
}

/**
 * Checks whether Appium lists the sessions of all users to every client. This happens if the server does not check
 * commands.
 */
export async function checkDiscovery(address: string, basePath: string, config: Config): Promise<Finding> {
  const check = 'session-discovery';
  try {
    const { status } = await ask(`${address}${basePath}/appium/sessions`);
    const isChecked = config.requireCommandAuth && !config.authDisabled && !config.commandAuthReportOnly;
    if (status !== 200) return ok(check, 'Appium does not list its sessions');
    if (isChecked)
      return ok(check, 'Appium lists to each caller only the sessions of that caller (specification 5.7.8)');
    return warning(
      check,
      'Appium lists all sessions with their ids to every client',
      'Set SVC_REQUIRE_COMMAND_AUTH=true, or start Appium without the session_discovery feature.',
    );
  } catch (error) {
    return skipped(check, `The server did not respond: ${messageOf(error)}`);
  }
}

const LOOKS = 20;
const LOOK_EVERY_MS = 100;

/**
 * Sends a create-session request with made-up secrets, for a platform that no driver supports. Then searches the log
 * file for the secrets, which must not appear there.
 */
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
      if (written.includes(mark) && look > 2)
        return ok(check, `The secrets of a create-session request do not appear in ${file}`);
      await pause(LOOK_EVERY_MS);
    }
    const message = `${file} has no line about the create-session request that was just sent, so it is not the log of this server, or its log level is too high`;
    return warning(
      check,
      message,
      'Name the log file of this server with --log, and log at level info or debug.',
    );
  } catch (error) {
    return warning(
      check,
      `The log could not be checked: ${messageOf(error)}`,
      'Name its log file with --log.',
    );
  }
}

function leaks(check: string, file: string): Finding {
  const message = `A secret of a create-session request is in ${file}`;
  return failure(
    check,
    message,
    'Find out what logs the request before svc removes the secret: another plugin (list svc last in --use-plugins), a proxy or a wrapper.',
  );
}
