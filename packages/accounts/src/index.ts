// Accounts: who people and programs are, how they prove it, and who may change that.
//
// One folder for each subject: `users/`, `teams/`, `passwords/`, `sign-in/` (sign-ins of browsers), `oidc/`, `passkeys/`,
// `workloads/` (CI jobs), `scim/`, `terminal/` (sign-in of `svc login`), `tokens/` (introspection and revocation), `attempts/`
// (limits on guesses), `reauthenticate/`, `mail/`, `token-notices/`. What needs a large library has an entry of its own, such as
// `@svc/accounts/oidc`, and is loaded when it is first used.
//
// Not here: how a credential is checked and a token minted, and what a role allows (auth-core); routes (apps/api).

export { Attempts, retryAfterSeconds } from './attempts/attempts.ts';
export { recallAddresses } from './attempts/recall-addresses.ts';
export { SignInAttempts } from './attempts/sign-in-attempts.ts';
export { type Mailer, smtpMailer } from './mail/mailer.ts';
export { Outbox } from './mail/outbox.ts';
export { ResetDelivery } from './mail/reset-delivery.ts';

export type { OidcSignIn } from './oidc/oidc-sign-in.ts';
export { OwnIdentities } from './oidc/own-identities.ts';
export { ProviderLogouts } from './oidc/provider-logout.ts';

export { ProviderSignIn } from './oidc/provider-sign-in.ts';

export { OwnPasskeys } from './passkeys/own-passkeys.ts';
export { PasskeyChallenges } from './passkeys/passkey-challenges.ts';
export type { Passkey, PasskeyStore } from './passkeys/passkey-ports.ts';
export { PasskeySignIn } from './passkeys/passkey-sign-in.ts';
export { passkeysWork, type RelyingParty, relyingParty } from './passkeys/relying-party.ts';
export { PasskeyVerifier } from './passkeys/verify-passkey.ts';
export { ChangePassword } from './passwords/change-password.ts';
export { commonPasswords } from './passwords/common-passwords.ts';
export { PasswordSignIn } from './passwords/password-sign-in.ts';
export { ResetPassword } from './passwords/reset-password.ts';
export { temporaryPasswordEnd } from './passwords/set-password.ts';
export { PasswordVerifier } from './passwords/verify-password.ts';
export { Reauthenticate } from './reauthenticate/reauthenticate.ts';
export { DirectoryUsers } from './scim/directory-users.ts';
export { DashboardSessions } from './sign-in/dashboard-session.ts';
export { ownPage } from './sign-in/own-page.ts';
export { SignIns } from './sign-in/sign-in.ts';
export { ManageTeams } from './teams/manage-teams.ts';
export { TerminalSignIns } from './terminal/terminal-sign-in.ts';
export { scheduleTokenNotices } from './token-notices/send-token-notices.ts';
export { TokenNotices } from './token-notices/token-notices.ts';
export { IntrospectToken } from './tokens/introspect-token.ts';
export { RevokeToken } from './tokens/revoke-token.ts';
export { bootstrap } from './users/bootstrap.ts';
export { BreakGlass } from './users/break-glass.ts';
export { ManageUsers } from './users/manage-users.ts';
export { ExchangeToken } from './workloads/exchange-token.ts';

export { type OwnedTrustRule, TrustRules } from './workloads/trust-rules.ts';

export { workloadKeys } from './workloads/workload-keys-of-issuers.ts';
