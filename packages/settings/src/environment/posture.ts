import { commandAuthMode } from '@svc/auth-core';
import { isLoopback, isSafeAddress } from '@svc/contract';
import type { Config } from './read-config.ts';

type Enforced = Pick<
  Config,
  'authDisabled' | 'requireSessionToken' | 'requireCommandAuth' | 'commandAuthReportOnly' | 'trustedProxies'
>;

/** Returns the log line that states at start which checks are enforced (contract 5). */
export function posture(config: Enforced): string {
  const { authDisabled, requireSessionToken, trustedProxies } = config;
  const parts = [
    `sign-in ${authDisabled ? 'OFF' : 'ON'}`,
    `session credentials ${requireSessionToken && !authDisabled ? 'ON' : 'OFF'}`,
    `command check ${commandAuthMode(config).toUpperCase()}`,
    `trusted proxies ${trustedProxies.length === 0 ? 'NONE' : trustedProxies.join(', ')}`,
  ];
  return `Enforced: ${parts.join('; ')}`;
}

/**
 * Returns the public address for OAuth, OpenID and SCIM clients, or null if `SVC_PUBLIC_URL` is missing or not safe
 * (contract 10). An address is safe if it uses TLS or is on this machine, because otherwise others in the network could
 * read the tokens.
 */
export function identityUrl({ publicUrl }: Pick<Config, 'publicUrl'>): string | null {
  if (publicUrl === null) return null;
  return isSafeAddress(new URL(publicUrl)) ? publicUrl : null;
}

/** Returns a log line that says why the routes that need a public address are off, or undefined if they are on. */
export function identityLine(config: Pick<Config, 'publicUrl' | 'isPublicUrlUnusable'>): string | undefined {
  if (identityUrl(config) !== null) return undefined;
  const unset = config.isPublicUrlUnusable ? 'cannot be used' : 'is not set';
  const why = `SVC_PUBLIC_URL ${config.publicUrl === null ? unset : 'is not https'}`;
  return (
    `${why}: /svc/oauth, /svc/oidc, /svc/scim/v2 and the /.well-known documents respond with 404, except the sign-in ` +
    'from a terminal. Set SVC_PUBLIC_URL to the https address of this server to use them.'
  );
}

/**
 * Returns a warning if other machines can reach this server and no trusted proxies are set, or undefined otherwise.
 * Without trusted proxies, a client can forge its address with `X-Forwarded-For` (specification 5.9.3), and so evade
 * the limits on attempts.
 */
export function exposureWarning({ trustedProxies }: Enforced, host: string): string | undefined {
  if (trustedProxies.length > 0 || isLoopback(host)) return undefined;
  return (
    `This server listens beyond this machine (${host}) and SVC_TRUSTED_PROXIES is not set: clients can claim any ` +
    'address with X-Forwarded-For. Set it to the addresses of your reverse proxies, or to 127.0.0.1 if there are none.'
  );
}
