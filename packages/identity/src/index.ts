/**
 * Types of the additional ways to sign in (contract 10). Their code is in subpaths that the API imports at first use,
 * so that start time and idle memory stay the same.
 */
export type { OidcSignIn, OidcSignInTools } from './oidc/oidc-sign-in.ts';
export type { OidcProviderOptions } from './oidc/types.ts';
