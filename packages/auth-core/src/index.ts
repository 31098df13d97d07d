// The core of access control: who sends a request, and what they may do. It needs no framework, database or clock.
//
// `credentials/` has one scheme per file: how a credential is read, verified and refused. `policy/` has one rule per file.
// `tokens/` signs and verifies bearers, `flows/` mints and revokes them, `tickets/` are for one use. `limits/` are rate
// limits, `ports/` are the stores that it needs.
//
// Not here: users, teams, API tokens and ways to sign in (accounts), tables and the chain of the audit trail
// (store-sqlite), commands and sockets (webdriver-gate), who sees phones and sessions (device-lab), open connections
// and log text (module), and routes (apps/api).

export { Audit, actorOf, credentialOf, LOCAL_ORIGIN, origin } from './audit.ts';
export { accountThen } from './credentials/account-then.ts';
export { currentAgentGroup } from './credentials/agent-group.ts';
export { Authenticator } from './credentials/authenticate.ts';
export { BasicPairScheme, basicOf, requirePairOfBasic } from './credentials/basic-pair.ts';
export { BearerScheme, bearerOf } from './credentials/bearer.ts';
export { ancestorsOf, isGroup, withBearerGroup } from './credentials/bearer-group.ts';
export { CommandCallers } from './credentials/command-callers.ts';
export { CommandHeaders } from './credentials/command-headers.ts';
export { pairOf } from './credentials/key-pair.ts';
export { isRevoked, lineageOf } from './credentials/lineage.ts';
export { headerText, type PresentedCredentials } from './credentials/presented.ts';
export { ruleClaims } from './credentials/rule-origin.ts';
export type { CredentialScheme } from './credentials/scheme.ts';
export { credentialSchemes } from './credentials/schemes.ts';
export { ScimKeyScheme } from './credentials/scim-key.ts';
export { slidTo } from './credentials/sign-in.ts';
export { Rejected, type Verification } from './credentials/verification.ts';
export { Conflict, HttpResponse, Refusal, Unavailable } from './errors.ts';
export { Cascade } from './flows/cascade.ts';
export { IssueBearer } from './flows/issue-bearer.ts';
export { type Reauthorizing, reauthorize } from './flows/reauthorize.ts';
export { GenerationalCache } from './generational-cache.ts';
export type { RateCategory } from './limits/category.ts';
export type { Admitted } from './limits/rate-buckets.ts';
export { RateLimitExceeded } from './limits/rate-limit-exceeded.ts';
export { RateLimiter } from './limits/rate-limiter.ts';
export { TokenMakingLimit } from './limits/token-making.ts';
export {
  checkAccess,
  checkRoleAndScope,
  heldMcpScopes,
  isOverrideAdmin,
  mayAccess,
} from './policy/access.ts';
export { refuseAgents } from './policy/agent-limits.ts';
export { type CommandAuthSettings, commandAuthMode } from './policy/command-auth-mode.ts';
export { checkFresh, isFresh } from './policy/fresh-sign-in.ts';
export { isLiveRule } from './policy/live-rule.ts';
export { mayActOn, maySee } from './policy/manage-user.ts';
export type {
  AccountStore,
  ApiToken,
  ApiTokenStore,
  AuditCheck,
  AuditEntry,
  AuditFound,
  AuditRow,
  AuditSearch,
  AuditStore,
  Clock,
  Log,
  NewAccount,
  Random,
  ReplayStore,
  Revocation,
  RevocationStore,
  SettingStore,
  SignIn,
  SignInStore,
  Stores,
  StoreTransaction,
  TeamStore,
} from './ports/index.ts';
export type { AccountLookup } from './ports/stores.ts';
export {
  type Account,
  type AgentClaim,
  type Caller,
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
  type ScopeSet,
  scopeList,
  scopeSet,
} from './scopes.ts';
export {
  isOpaqueSecret,
  newAccessKey,
  newOpaqueSecret,
  newTemporaryPassword,
  secretHash,
} from './secrets/opaque.ts';
export {
  isTokenSecret,
  newTokenSecret,
} from './secrets/token-secret.ts';
export type { Sender } from './tickets/sender.ts';
export { type IssuedTicket, Tickets } from './tickets/tickets.ts';
export type { Claims } from './tokens/claims.ts';
export { KeyRing, type PublicSigningKey, publicKeyOf, signingKey, verifyingKey } from './tokens/key-ring.ts';
export { longestLife } from './tokens/longest-life.ts';
export { TokenSigner } from './tokens/signer.ts';
export { readHeader, verifySigned } from './tokens/verify-signed.ts';
