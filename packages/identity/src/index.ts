/**
 * Types for additional ways to sign in (contract 10). The code is in other entry points of this package, which the API
 * imports when they are first needed. Unused ways to sign in therefore cost neither start time nor memory.
 */
export type { OidcSignIn, OidcSignInTools } from './oidc/oidc-sign-in.ts';
export type { OidcProviderOptions } from './oidc/types.ts';
