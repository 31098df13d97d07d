import { randomBytes } from 'node:crypto';
import { Duplex } from 'node:stream';
import type { Log } from '@svc/auth-core';
import { CREDENTIAL_NAMESPACES, SECRET_CAPABILITIES } from '@svc/contract';
import type { AppiumGate } from '@svc/webdriver-gate';
import { logger } from './appium.ts';
import type { AppiumLogMessage, AppiumServer, ObservableLog } from './appium-types.ts';
import { PROBE_REFUSED } from './lifecycle.ts';

/** Maximum time in ms to wait for the response to the start-up check's create-session request. */
const ANSWER_MS = 10_000;

/**
 * Sends a create-session request with made-up secrets through the server itself: its parser, every listener on it,
 * Appium's log and its routes, up to the point where a driver would start (contract 6.3).
 * @returns the places in the log where a secret was found; empty if there are none
 * @throws Error if the request did not get to the point where a driver would start
 */
async function findLeaks(server: AppiumServer, gate: AppiumGate, log: ObservableLog): Promise<string[]> {
  const secret = `canary-${randomBytes(12).toString('hex')}`;
  const found = new Set<string>();
  const look = ({ level, prefix, message }: AppiumLogMessage): void => {
    if (!message.includes(secret) && !prefix.includes(secret)) return;
    found.add(`[${prefix}] (${level}) ${excerptOf(message, secret)}`.replaceAll(secret, '<secret>'));
  };
  log.on('log', look);
  try {
    const answer = await exchange(server, gate, requestWith(secret, gate.targets.basePath));
    if (!answer.includes(PROBE_REFUSED)) throw new Error(`answered ${JSON.stringify(answer.slice(0, 200))}`);
  } finally {
    log.off('log', look);
  }
  return [...found];
}

/** @returns the secret with up to 100 characters on each side, because a whole message may be very long */
function excerptOf(message: string, secret: string): string {
  const at = message.indexOf(secret);
  return message.slice(Math.max(0, at - 100), at + secret.length + 100);
}

interface CheckOptions {
  /**
   * Whether a failed check prevents the start, as on a server that checks commands or requires session tokens. If
   * false, a failed check is only logged as a warning.
   */
  readonly strict: boolean;
  readonly log: Log;
  /** Returns whether the calling code handles the request that the start-up check sends. */
  readonly isProbing: () => boolean;
}

/**
 * Runs the start-up check and logs its result.
 * @returns whether the server may start
 */
export async function provesClean(
  server: AppiumServer,
  gate: AppiumGate,
  { strict, log, isProbing }: CheckOptions,
): Promise<boolean> {
  const say = strict ? log.error : log.warn;
  const consequence = strict ? ' Not starting.' : '';
  const appium = logger.getLogger('svc').unwrap() as unknown as ObservableLog;
  const held = holdLines(appium, isProbing);
  try {
    const leaks = await findLeaks(server, gate, appium);
    held.release({ printed: leaks.length > 0 });
    if (leaks.length === 0) {
      log.info('The start-up check passed: the credentials of a create-session request are not in the log');
      return true;
    }
    for (const leak of leaks) say(`A secret of a create-session request appears in the log: ${leak}`);
    say(`Something in front of svc logs what is sent to this server.${consequence}`);
  } catch (error) {
    held.release({ printed: true });
    say(`Whether secrets stay out of the log could not be checked: ${String(error)}.${consequence}`);
  }
  return !strict;
}

/**
 * Holds back the log lines that the check itself causes, because Appium logs the refusal that ends the check as an
 * internal error. All other lines are printed as usual. `release` stops holding lines back and, if `printed`, prints
 * those that were held back.
 */
function holdLines(
  log: ObservableLog,
  isHeld: () => boolean,
): { release(options: { printed: boolean }): void } {
  const lines: AppiumLogMessage[] = [];
  const printers = log.listeners('log').map((print) => {
    const printOthers = (line: AppiumLogMessage): void => {
      if (!isHeld()) print(line);
      else if (!lines.includes(line)) lines.push(line);
    };
    log.off('log', print);
    log.on('log', printOthers);
    return { print, printOthers };
  });
  return {
    release: ({ printed }) => {
      for (const { print, printOthers } of printers) {
        log.off('log', printOthers);
        log.on('log', print);
        if (printed) for (const line of lines) print(line);
      }
    },
  };
}

function requestWith(secret: string, basePath: string): string {
  const secrets = Object.fromEntries(SECRET_CAPABILITIES.map((name) => [name, `${secret}-${name}`]));
  const options = Object.fromEntries(CREDENTIAL_NAMESPACES.map((name) => [name, secrets]));
  const body = JSON.stringify({
    capabilities: { alwaysMatch: { platformName: 'svc start-up check', ...options }, firstMatch: [options] },
  });
  return [
    `POST ${basePath}/session HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/**
 * Sends a request to the server over an in-process connection, which Node accepts through the server's `connection`
 * event.
 * @returns the whole response
 */
function exchange(server: AppiumServer, gate: AppiumGate, request: string): Promise<string> {
  return new Promise((done, failed) => {
    const connection = new InnerConnection();
    const timer = setTimeout(() => connection.destroy(new Error('no answer')), ANSWER_MS);
    connection.once('error', failed);
    connection.once('close', () => {
      clearTimeout(timer);
      done(connection.received);
    });
    gate.probes.add(connection);
    server.emit(server.isSecure?.() === true ? 'secureConnection' : 'connection', connection);
    connection.push(request);
  });
}

/** Server's end of an in-process connection, which no client can use. */
class InnerConnection extends Duplex {
  received = '';

  /** Does nothing. This method exists because Appium sets a time-out on every connection. */
  setTimeout(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.received += chunk.toString();
    done();
  }

  override _final(done: () => void): void {
    done();
    this.destroy();
  }
}
