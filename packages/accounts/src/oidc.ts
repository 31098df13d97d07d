/** Sign-in through an OpenID Connect provider (contract 10.1). The API imports this subpath at the first sign-in. */
export { OidcSignIn } from './oidc/oidc-sign-in.ts';
export { OidcProvider } from './oidc/provider.ts';
export { ProviderError } from './oidc/types.ts';
