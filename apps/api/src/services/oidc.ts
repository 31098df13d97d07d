import type { OidcSignIn } from '@svc/accounts';
import { ProviderLogouts, ProviderSignIn } from '@svc/accounts';
import { API_PREFIX, OIDC_CALLBACK_PATH } from '@svc/contract';
import { identityUrl } from '@svc/settings';
import type { AccountServices } from './accounts.ts';
import { type CoreServices, endTokens } from './core.ts';

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
export function openOidc(
  core: CoreServices,
  { signIns, cascade }: Pick<AccountServices, 'signIns' | 'cascade'>,
): OidcService | null {
  const { config, log } = core;
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
  const { clock, outbound } = core;
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
    const { OidcSignIn: OidcSignInClass } = await import('@svc/accounts/oidc');
    const endMinted = endTokens(core, cascade);
    const accounts = new ProviderSignIn({ ...core, signIns, endMinted }, rules);
    const logouts = new ProviderLogouts({ ...core, endMinted });
    return new OidcSignInClass({ ...core, provider, accounts, logouts });
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
