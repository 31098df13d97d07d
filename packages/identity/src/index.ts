/**
 * Types of the additional ways to sign in (contract 10). Their code is in subpaths that the API imports at first use,
 * so that they cost no start time and no memory until they are used.
 */
export type { OidcSignIn, OidcSignInTools } from './oidc/oidc-sign-in.ts';
export type { OidcProviderOptions } from './oidc/types.ts';
