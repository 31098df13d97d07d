// The core of access control: who sends a request, and what they may do. It needs no framework, database or clock.
//
// `credentials/` has one scheme per file: how a credential is read, verified and refused. `policy/` has one rule per file.
// `tokens/` signs and verifies bearers, `flows/` makes, changes and ends API tokens and keys, `tickets/` are for one use.
// `limits/` are rate limits, `capabilities/` takes credentials out of capabilities, `ports/` are the stores that it needs.
//
// Not here: users, teams and ways to sign in (accounts), tables (store-sqlite), commands and sockets (webdriver-gate),
// phones (device-lab), and routes (apps/api).

export { Audit, actorOf, BY_COMMAND_LINE, credentialOf, LOCAL_ORIGIN, origin, refusedFrom } from './audit.ts';
export { currentAgentGroup } from './credentials/agent-group.ts';
export { Authenticator, type ValidCredential } from './credentials/authenticate.ts';
export { BasicPairScheme, basicOf, requirePairOfBasic } from './credentials/basic-pair.ts';
export { BearerScheme, bearerOf } from './credentials/bearer.ts';
export { ancestorsOf, isGroup, withBearerGroup } from './credentials/bearer-group.ts';
export { CommandCallers } from './credentials/command-callers.ts';
export { CommandHeaders } from './credentials/command-headers.ts';
export { pairOf } from './credentials/key-pair.ts';
export { isRevoked, lineageOf } from './credentials/lineage.ts';
export { type HeaderValues, headerText, type PresentedCredentials } from './credentials/presented.ts';
export { ruleClaims } from './credentials/rule-origin.ts';
export type { CredentialScheme, CredentialUse } from './credentials/scheme.ts';
export { credentialSchemes } from './credentials/schemes.ts';
export { ScimKeyScheme } from './credentials/scim-key.ts';
export { slidTo } from './credentials/sign-in.ts';
export { restoredCaller, type StoredCaller, storedCaller } from './credentials/stored-caller.ts';
export { Rejected, type Verification, type VerifiedCredential } from './credentials/verification.ts';
export { ConfigError, Conflict, HttpResponse, Refusal, Unavailable } from './errors.ts';
export { Cascade } from './flows/cascade.ts';
export { IssueBearer } from './flows/issue-bearer.ts';
export { type Reauthorizing, reauthorize } from './flows/reauthorize.ts';
export { GenerationalCache } from './generational-cache.ts';
export { isRecord } from './is-record.ts';
export type { RateCategory } from './limits/category.ts';
export type { Admitted } from './limits/rate-buckets.ts';
export { RateLimitExceeded } from './limits/rate-limit-exceeded.ts';
export { RateLimiter, type RateLimitResult } from './limits/rate-limiter.ts';
export { MOST_MINTED, TokenMakingLimit } from './limits/token-making.ts';
export { lruCache } from './lru-cache.ts';
export {
  checkAccess,
  checkRoleAndScope,
  heldMcpScopes,
  isOverrideAdmin,
  mayAccess,
} from './policy/access.ts';
export { refuseAgents } from './policy/agent-limits.ts';
export { type CommandAuthSettings, commandAuthMode } from './policy/command-auth-mode.ts';
export { grantedExpiry, instantOf, parseInstant } from './policy/expiry.ts';
export { checkFresh, isFresh } from './policy/fresh-sign-in.ts';
export { isLiveRule } from './policy/live-rule.ts';
export {
  checkActsOnOther,
  checkGivenRole,
  checkUserChange,
  mayActOn,
  maySee,
  type UserChange,
  visibleTo,
} from './policy/manage-user.ts';
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
  AuditFilter,
  AuditFound,
  AuditHead,
  AuditRow,
  AuditSearch,
  AuditStore,
  Clock,
  DirectoryEntry,
  DirectoryUserStore,
  HashingPlace,
  Identity,
  IdentityStore,
  Log,
  NewAccount,
  PasswordHasher,
  PastSignIn,
  ProviderSignInQuery,
  ProviderSignInRecord,
  Random,
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
} from './ports/index.ts';
export { KEPT_RUNS, type TrustedKey } from './ports/index.ts';
export type { AccountLookup } from './ports/stores.ts';
export {
  type Account,
  type AgentClaim,
  type Caller,
  type Credential,
  credentialOfKind,
  NO_CREDENTIAL,
  type RuleOrigin,
  scopesWithRole,
  type Team,
} from './principal.ts';
export { type RequestOrigin, senderOf } from './request-origin.ts';
export {
  ALL_SCOPES,
  effectiveScopes,
  expand,
  holds,
  intersect,
  missing,
  NO_SCOPES,
  roleAllowance,
  type ScopeSet,
  scopeList,
  scopeSet,
} from './scopes.ts';
export {
  isOpaqueSecret,
  newAccessKey,
  newOpaqueSecret,
  newTemporaryPassword,
  secretDigest,
  secretHash,
} from './secrets/opaque.ts';
export {
  isTokenSecret,
  newTokenSecret,
} from './secrets/token-secret.ts';
export { isUsablePassword } from './secrets/usable-password.ts';
export { type Sender, spendTicket } from './tickets/sender.ts';
export { type IssuedTicket, Tickets } from './tickets/tickets.ts';
export type { Claims } from './tokens/claims.ts';
export { KeyRing, type PublicSigningKey, publicKeyOf, signingKey, verifyingKey } from './tokens/key-ring.ts';
export { gridIdOf, SignedSessionIds } from './tokens/session-ids.ts';
export { type Grant, TokenSigner, type TokenVerifier } from './tokens/signer.ts';
export { readHeader, type TokenFault, verifySigned } from './tokens/verify-signed.ts';
