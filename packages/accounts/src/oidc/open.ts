import { API_PREFIX, OIDC_CALLBACK_PATH } from '@svc/contract';
import type { Outbound } from '@svc/outbound';
import { type Config, identityUrl } from '@svc/settings';
import type { OidcSignIn } from './oidc-sign-in.ts';
import { ProviderSignIn } from './provider-sign-in.ts';

type Tools = ConstructorParameters<typeof ProviderSignIn>[0] &
  Omit<ConstructorParameters<typeof OidcSignIn>[0], 'provider' | 'accounts'> & {
    readonly config: Config;
    readonly outbound: Outbound;
  };

/** Sign-in through the configured OpenID provider. */
export interface OidcService {
  /** Name of the provider, shown on the sign-in page. */
  readonly name: string;
  readonly publicUrl: string;
  /** Address to which the provider sends the browser back. */
  readonly callbackUrl: string;
  /** Loads the sign-in code, which is imported at its first use. */
  load(): Promise<OidcSignIn>;
}

/**
 * @returns the service, or null if no provider is configured, if `SVC_PUBLIC_URL` is not usable, or if sign-in is off
 */
export function openOidc(tools: Tools): OidcService | null {
  const { config, log, clock, outbound } = tools;
  if (config.passwordSignIn === 'break-glass')
    log.warn('SVC_PASSWORD_SIGN_IN=break-glass: only Super admins can sign in with a password');
  if (config.oidc === null || config.authDisabled) return null;
  const publicUrl = identityUrl(config);
  if (publicUrl === null) {
    log.warn(
      'Sign-in through the provider is off: SVC_PUBLIC_URL must be the https:// address of this server ' +
        '(http:// only on loopback)',
    );
    return null;
  }
  const { name, issuer, clientId, clientSecret, scopes, groupsClaim, ...rules } = config.oidc;
  const callbackUrl = `${publicUrl}${API_PREFIX}${OIDC_CALLBACK_PATH}`;
  const provider = {
    issuer,
    clientId,
    clientSecret,
    scopes,
    groupsClaim,
    redirectUri: callbackUrl,
    clock,
    outbound,
  };
  const open = async (): Promise<OidcSignIn> => {
    const { OidcSignIn: OidcSignInClass } = await import('./oidc-sign-in.ts');
    const accounts = new ProviderSignIn(tools, rules);
    return new OidcSignInClass({ ...tools, provider, accounts });
  };
  let opened: Promise<OidcSignIn> | undefined;
  return {
    name,
    publicUrl,
    callbackUrl,
    load: () => {
      opened ??= open();
      return opened;
    },
  };
}
