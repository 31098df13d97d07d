export {
  Audit,
  type AuditWatcher,
  actorOf,
  BY_COMMAND_LINE,
  credentialOf,
  LOCAL_ORIGIN,
  origin,
  refusedFrom,
} from './audit.ts';
export {
  AuditChain,
  type ChainMark,
  type ChainMarks,
  type ChainWalk,
  headOf,
  type MarkName,
  type NumberedRow,
} from './audit-chain.ts';
export { type BoundedLines, failureLines, refusalLines } from './bounded-lines.ts';
export { NO_WISH, type RecordingWish } from './capabilities/recording-wish.ts';
export { REDACTED } from './capabilities/redacted.ts';
export {
  type LeaseCredential,
  readCredentials,
  type SessionCredentials,
  type SessionInput,
  stripCredentials,
  type TakenCredentials,
} from './capabilities/take-credentials.ts';
export { currentAgentGroup } from './credentials/agent-group.ts';
export { Authenticator } from './credentials/authenticate.ts';
export { BasicPairScheme, basicOf, requirePairOfBasic } from './credentials/basic-pair.ts';
export { BearerScheme, bearerOf } from './credentials/bearer.ts';
export { CommandCallers } from './credentials/command-callers.ts';
export { CommandHeaders } from './credentials/command-headers.ts';
export { pairOf } from './credentials/key-pair.ts';
export { isRevoked, lineageOf } from './credentials/lineage.ts';
export { type HeaderValues, headerText, type PresentedCredentials } from './credentials/presented.ts';
export type { CredentialScheme, CredentialUse } from './credentials/scheme.ts';
export { credentialSchemes } from './credentials/schemes.ts';
export { ScimKeyScheme } from './credentials/scim-key.ts';
export { type Sender, spendTicket } from './credentials/sender.ts';
export { restoredCaller, type StoredCaller, storedCaller } from './credentials/stored-caller.ts';
export { Rejected, type Verification, type VerifiedCredential } from './credentials/verification.ts';
export { emailKey, isEmailAddress } from './email-address.ts';
export {
  ConfigError,
  Conflict,
  OAuthRefusal,
  Refusal,
  ScimRefusal,
  type ScimType,
  Unavailable,
} from './errors.ts';
export { AccessKeys } from './flows/access-key.ts';
export { ApiTokens, type OwnedApiToken } from './flows/api-tokens.ts';
export { type AuditQuery, AuditTrail, type ShownAuditRow } from './flows/audit-trail.ts';
export { bootstrap } from './flows/bootstrap.ts';
export { BreakGlass } from './flows/break-glass.ts';
export { Cascade } from './flows/cascade.ts';
export { ChangePassword } from './flows/change-password.ts';
export { DashboardSessions } from './flows/dashboard-session.ts';
export { type DirectoryChange, type DirectoryUser, DirectoryUsers } from './flows/directory-users.ts';
export { ExchangeToken, IssuerUnreachable } from './flows/exchange-token.ts';
export { type Introspection, IntrospectToken } from './flows/introspect-token.ts';
export { IssueBearer } from './flows/issue-bearer.ts';
export { linkIdentity, type PendingLink } from './flows/link-identity.ts';
export { ManageTeams } from './flows/manage-teams.ts';
export { ManageUsers } from './flows/manage-users.ts';
export { OwnIdentities } from './flows/own-identities.ts';
export { OwnPasskeys } from './flows/own-passkeys.ts';
export { PasskeyChallenges } from './flows/passkey-challenges.ts';
export { PasskeySignIn } from './flows/passkey-sign-in.ts';
export { PasswordSignIn } from './flows/password-sign-in.ts';
export { ProviderLogouts } from './flows/provider-logout.ts';
export { type ProviderRules, ProviderSignIn } from './flows/provider-sign-in.ts';
export { Reauthenticate } from './flows/reauthenticate.ts';
export { type Reauthorizing, reauthorize } from './flows/reauthorize.ts';
export { type IssuedResetLink, ResetPassword, type ResetRequest } from './flows/reset-password.ts';
export { RevokeToken } from './flows/revoke-token.ts';
export { temporaryPasswordEnd } from './flows/set-password.ts';
export { type OpenedSignIn, SignIns } from './flows/sign-in.ts';
export { type ExpiringToken, TokenNotices } from './flows/token-notices.ts';
export { type OwnedTrustRule, TrustRules } from './flows/trust-rules.ts';
export { PasskeyVerifier } from './flows/verify-passkey.ts';
export { PasswordVerifier } from './flows/verify-password.ts';
export { GenerationalCache } from './generational-cache.ts';

export { isRecord } from './is-record.ts';
export {
  CHECK_SECONDS,
  type LatencyBounds,
  LatencyHistogram,
  REQUEST_SECONDS,
} from './latency-histogram.ts';
export type { AttemptLimit } from './limits/attempt-limit.ts';
export { Attempts, retryAfterSeconds } from './limits/attempts.ts';
export { type RateCategory, rateCategory } from './limits/category.ts';
export { excessOf, jsonSizeOf } from './limits/json-size.ts';
export type { Admitted } from './limits/rate-buckets.ts';
export { RateLimitExceeded } from './limits/rate-limit-exceeded.ts';
export { RateLimiter, type RateLimitResult } from './limits/rate-limiter.ts';
export { SignInAttempts } from './limits/sign-in-attempts.ts';
export { MOST_MINTED, TokenMakingLimit } from './limits/token-making.ts';
export { logFields, logMessage } from './log-fields.ts';
export { hasControl, oneLine } from './log-text.ts';
export { lruCache } from './lru-cache.ts';
export {
  type ConnectionEnd,
  type ConnectionHandle,
  type OpenConnection,
  OpenConnections,
} from './open-connections.ts';
export { checkAccess, checkRoleAndScope, isOverrideAdmin, mayAccess } from './policy/access.ts';
export { type CommandAuthSettings, commandAuthMode } from './policy/command-auth-mode.ts';
export {
  accountSeesDevice,
  type Checked,
  CREATE_DENIALS,
  decideCreate,
  maySeeDevice,
} from './policy/create-session.ts';
export { refusalToDrive, type SessionOwner } from './policy/drive-session.ts';
export { instantOf } from './policy/expiry.ts';
export { isPublishedPassword, isWeakFirstPassword, PUBLISHED_PASSWORDS } from './policy/first-password.ts';
export { type RequestToForward, refusalToForward } from './policy/forward-request.ts';
export { checkFresh, isFresh } from './policy/fresh-sign-in.ts';
export { isListed } from './policy/list-sessions.ts';
export { isLiveRule } from './policy/live-rule.ts';
export { type MappedRole, mapGroups } from './policy/map-groups.ts';
export { ownPage } from './policy/own-page.ts';
export { passkeysWork, type RelyingParty, relyingParty } from './policy/relying-party.ts';
export { AllowedOrigins, isOwnName, isSafe, originRefusal } from './policy/same-origin.ts';
export { type EventAudience, maySeeEvent } from './policy/see-event.ts';
export { firstNoticeAt, nextNoticeAt, unusedSince } from './policy/token-notices.ts';
export { isLoopbackHttp } from './policy/trust-rule.ts';
export { WORKLOAD_ALGORITHMS } from './policy/workload-token.ts';
export type {
  AccountChange,
  AccountPage,
  AccountStore,
  ApiToken,
  ApiTokenPage,
  ApiTokenStore,
  AuditCheck,
  AuditEntry,
  AuditEvent,
  AuditFound,
  AuditHead,
  AuditRow,
  AuditSearch,
  AuditStore,
  Clock,
  DirectoryEntry,
  DirectoryUserStore,
  ExpectedResponse,
  HashingPlace,
  Identity,
  IdentityStore,
  Log,
  NewAccount,
  Passkey,
  PasskeyCeremonies,
  PasskeyStore,
  PasswordHasher,
  PastSignIn,
  ProviderGroups,
  ProviderLogout,
  ProviderPerson,
  ProviderSignInQuery,
  ProviderSignInRecord,
  Random,
  RegisteredCredential,
  RemovedRows,
  ReplayStore,
  ResetLink,
  ResetLinkStore,
  Revocation,
  RevocationCount,
  RevocationStore,
  SettingStore,
  SignIn,
  SignInStore,
  Stores,
  StoreTransaction,
  TeamStore,
  TrustClaim,
  TrustRule,
  TrustRuleStore,
  TrustRun,
  WorkloadKeys,
} from './ports/index.ts';
export { KEPT_RUNS } from './ports/index.ts';
export {
  type Account,
  type AgentClaim,
  type Caller,
  credentialOfKind,
  NO_CREDENTIAL,
  type RuleOrigin,
  type Team,
} from './principal.ts';
export { type RequestOrigin, senderOf } from './request-origin.ts';
export { ALL_SCOPES, effectiveScopes, holds, type ScopeSet, scopeList, scopeSet } from './scopes.ts';
export { newAccessKey, newOpaqueSecret, secretDigest, secretHash } from './secrets/opaque.ts';
export { isUsablePassword } from './secrets/password.ts';
export { SealingKey } from './secrets/sealing-key.ts';
export {
  isAttachSecret,
  isLeaseSecret,
  isTokenSecret,
  newAttachSecret,
  newLeaseSecret,
  newTokenSecret,
} from './secrets/token-secret.ts';
export {
  type StartedTerminalSignIn,
  type TerminalCredentials,
  TerminalSignIns,
} from './terminal/terminal-sign-in.ts';
export {
  type CheckedTicket,
  type IssuedTicket,
  Tickets,
  type TicketUse,
} from './tickets/tickets.ts';
export type { Claims } from './tokens/claims.ts';
export {
  KeyRing,
  type PublicSigningKey,
  publicKeyOf,
  type SigningKey,
  signingKey,
  verifyingKey,
} from './tokens/key-ring.ts';
export { gridIdOf, SignedSessionIds } from './tokens/session-ids.ts';
export { TokenSigner, type TokenVerifier } from './tokens/signer.ts';
export { readHeader, type TokenFault, verifySigned } from './tokens/verify-signed.ts';
