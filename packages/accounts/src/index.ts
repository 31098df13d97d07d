// Accounts: who people and programs are, how they prove it, and who may change that.
//
// One folder for each subject: `users/`, `teams/`, `passwords/`, `sign-in/` (sign-ins of browsers), `oidc/`, `passkeys/`,
// `workloads/` (CI jobs), `scim/`, `terminal/` (sign-in of `svc login`), `tokens/` (introspection and revocation), `attempts/`
// (limits on guesses), `reauthenticate/`, `mail/`, `token-notices/`. What needs a large library has an entry of its own, such as
// `@svc/accounts/oidc`, and is loaded when it is first used.
//
// Not here: how a credential is checked and a token minted, and what a role allows (auth-core); what sets a cookie (apps/api).

export { type Attempts, retryAfterSeconds } from './attempts/attempts.ts';
export { networkOf, senderNetworkOf } from './attempts/client-network.ts';
export type { SignInAttempts } from './attempts/sign-in-attempts.ts';
export type { Mailer } from './mail/mailer.ts';
export type { OidcService } from './oidc/open.ts';
export { type Accounts, type HasherPool, openAccounts } from './open.ts';
export type { Passkey, PasskeyStore, PasskeyStores, PasskeyTransaction } from './passkeys/passkey-ports.ts';
export { partyOf, passkeysWork } from './passkeys/relying-party.ts';
export { commonPasswords } from './passwords/common-passwords.ts';
export { isPublishedPassword, isWeakFirstPassword } from './passwords/first-password.ts';
export { temporaryPasswordEnd } from './passwords/set-password.ts';
export type { DirectoryEntry, DirectoryUserStore } from './ports/directory-users.ts';
export type { Identity, IdentityStore, ProviderSignInRecord } from './ports/identities.ts';
export type { ResetLink, ResetLinkStore } from './ports/reset-links.ts';
export type { AccountStores, AccountTransaction } from './ports/stores.ts';
export { KEPT_RUNS, type TrustRule, type TrustRuleStore } from './ports/trust-rules.ts';
export { BY_COMMAND_LINE } from './rules/audit-actors.ts';
export { OAuthRefusal } from './rules/oauth-refusal.ts';
export type { HashingPlace, PasswordHasher } from './rules/password-hasher.ts';
export { ScimRefusal, type ScimType } from './scim/scim-refusal.ts';
export { SealingKey } from './sealing/sealing-key.ts';
export { ownPage } from './sign-in/own-page.ts';
export { firstNoticeAt, nextNoticeAt } from './token-notices/notice-times.ts';
export { IntrospectToken } from './tokens/introspect-token.ts';
export { RevokeToken } from './tokens/revoke-token.ts';
export { BreakGlass } from './users/break-glass.ts';
