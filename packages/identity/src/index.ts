/**
 * Types of the other ways to sign in (contract 10). The code behind them is in the subpaths, which the API imports when
 * they are first used, so that start time and memory at rest do not change.
 */
export type { OidcSignIn, OidcSignInTools } from './oidc/oidc-sign-in.ts';
export type { OidcProviderOptions } from './oidc/types.ts';
