import { isLoopback } from '@svc/contract';
import { posture } from '@svc/settings';
import type { ExaminedServer } from './examined-server.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

const CORRECT = 'Correct the variable and restart the server.';

/**
 * Checks the settings. Also warns if they turn off a protection while other hosts can reach the server.
 * @param address address on which the running server listens, or null if no server is running
 */
export function checkSettings(
  { config, warnings, unenforced }: Pick<ExaminedServer, 'config' | 'warnings' | 'unenforced'>,
  address: string | null,
): Finding[] {
  const { authDisabled, trustedProxies, publicUrl } = config;
  const listensBeyond = address !== null && !isLocal(address);
  const isReachable = publicUrl !== null || listensBeyond;
  const findings: Finding[] = warnings.map((each) =>
    unenforced.includes(each)
      ? failure('settings', each, `${CORRECT} The line \`Enforced:\` of its log then says what is checked.`)
      : warning('settings', each, CORRECT),
  );
  if (warnings.length === 0) findings.push(ok('settings', posture(config)));
  if (authDisabled)
    findings.push(
      warning(
        'sign-in',
        'Sign-in is off, so every client is a Super admin',
        'Unset SVC_AUTH_DISABLED and restart.',
      ),
    );
  if (trustedProxies.length === 0 && isReachable) {
    findings.push(
      warning(
        'spoofable-address',
        'SVC_TRUSTED_PROXIES is not set. A client can claim any address with X-Forwarded-For, and ' +
          'sign-in attempts are counted by address',
        'Set it to the addresses of your reverse proxies, or to 127.0.0.1 if there are none.',
      ),
    );
  } else
    findings.push(
      ok('spoofable-address', 'No client can forge the address by which its attempts are counted'),
    );
  return [...checkEnforcement(config, isReachable, listensBeyond), ...findings];
}

/**
 * Checks what the server requires of creates and commands. Its finding comes before all others, because without any
 * check everyone who reaches the port drives every phone. This is a failure if the server listens beyond this machine.
 */
function checkEnforcement(
  { authDisabled, requireSessionToken, requireCommandAuth }: ExaminedServer['config'],
  isReachable: boolean,
  listensBeyond: boolean,
): Finding[] {
  const fix =
    'Set SVC_REQUIRE_SESSION_TOKEN and SVC_REQUIRE_COMMAND_AUTH: docs/guides/switch-it-on-safely.md.';
  if (authDisabled || (requireSessionToken && requireCommandAuth)) return [];
  if (!requireSessionToken && !requireCommandAuth) {
    const message =
      'Nothing is enforced: sessions can be created without credentials, and no command is checked';
    return [listensBeyond ? failure('enforcement', message, fix) : warning('enforcement', message, fix)];
  }
  if (!isReachable) return [];
  const message = 'Sessions can be created without credentials, or commands are not checked';
  return [warning('enforcement', message, fix)];
}

/** @returns whether an address, as a URL, is on loopback, so that no other host reaches it */
export function isLocal(address: string): boolean {
  return URL.canParse(address) && isLoopback(new URL(address).hostname);
}
