import {
  type Audit,
  Authenticator,
  Cascade,
  type Clock,
  IssueBearer,
  type KeyRing,
  type Log,
  longestLife,
  type Random,
  type RateLimiter,
  ScimKeyScheme,
  type TokenMakingLimit,
  type TokenSigner,
} from '@svc/auth-core';
import { byField, gauge, type Metric, type Module, single } from '@svc/module';
import type { Lookups, Outbound } from '@svc/outbound';
import { type Config, identityUrl } from '@svc/settings';
import { Attempts } from './attempts/attempts.ts';
import { networkOfAddress } from './attempts/client-network.ts';
import { recallAddresses } from './attempts/recall-addresses.ts';
import { SignInAttempts } from './attempts/sign-in-attempts.ts';
import { type Mailer, smtpMailer } from './mail/mailer.ts';
import { Outbox } from './mail/outbox.ts';
import { ResetDelivery } from './mail/reset-delivery.ts';
import { resetHandlers } from './mail/reset-handlers.ts';
import { identityHandlers } from './oidc/handlers.ts';
import { type OidcService, openOidc } from './oidc/open.ts';
import { OwnIdentities } from './oidc/own-identities.ts';
import { passkeyHandlers } from './passkeys/handlers.ts';
import { OwnPasskeys } from './passkeys/own-passkeys.ts';
import { PasskeyChallenges } from './passkeys/passkey-challenges.ts';
import type { PasskeyStores } from './passkeys/passkey-ports.ts';
import { PasskeySignIn } from './passkeys/passkey-sign-in.ts';
import { PasskeyVerifier } from './passkeys/verify-passkey.ts';
import { ChangePassword } from './passwords/change-password.ts';
import { PasswordSignIn } from './passwords/password-sign-in.ts';
import { ResetPassword } from './passwords/reset-password.ts';
import { PasswordVerifier } from './passwords/verify-password.ts';
import type { AccountStores } from './ports/stores.ts';
import { reauthenticateHandlers } from './reauthenticate/handlers.ts';
import { Reauthenticate } from './reauthenticate/reauthenticate.ts';
import type { PasswordHasher } from './rules/password-hasher.ts';
import { DirectoryUsers } from './scim/directory-users.ts';
import { DashboardSessions } from './sign-in/dashboard-session.ts';
import { removingExpired } from './sign-in/expired-rows.ts';
import { signInHandlers } from './sign-in/handlers.ts';
import { SignIns } from './sign-in/sign-in.ts';
import { teamHandlers } from './teams/handlers.ts';
import { ManageTeams } from './teams/manage-teams.ts';
import { terminalHandlers } from './terminal/handlers.ts';
import { TerminalSignIns } from './terminal/terminal-sign-in.ts';
import { sendingTokenNotices } from './token-notices/send-token-notices.ts';
import { type ExpiringToken, takeNotices } from './token-notices/token-notices.ts';
import { apiKeyHandlers } from './tokens/api-key-handlers.ts';
import { ApiTokens } from './tokens/api-tokens.ts';
import { authHandlers } from './tokens/auth-handlers.ts';
import { profileHandlers } from './tokens/profile-handlers.ts';
import { rotateAccessKey } from './users/access-key.ts';
import { AccountChanges } from './users/account-changes.ts';
import { bootstrap } from './users/bootstrap.ts';
import { userHandlers } from './users/handlers.ts';
import { ManageUsers } from './users/manage-users.ts';
import { ExchangeToken } from './workloads/exchange-token.ts';
import { trustRuleHandlers } from './workloads/handlers.ts';
import { TrustRules } from './workloads/trust-rules.ts';
import { workloadKeys } from './workloads/workload-keys-of-issuers.ts';

/** The limit of reset links per account is this many times the limit per client address, in the same time window. */
const LINKS_PER_ACCOUNT = 4;

/**
 * The limit of refused OAuth grants is this many times the limit of sign-in attempts, in the same time window. It can
 * be high, because a signed token cannot be guessed and many CI jobs share one address; it only bounds the work that
 * refused requests cause.
 */
const REFUSED_GRANTS_PER_ATTEMPT = 60;

/** Hasher of a server that serves requests. */
export interface HasherPool extends PasswordHasher {
  /** Passwords that are being hashed, and those that wait for it, by whether their sender is known. */
  readonly depth: { readonly running: number; readonly known: number; readonly unknown: number };
  close(): Promise<void>;
}

export interface AccountNeeds {
  readonly config: Config;
  readonly stores: AccountStores & PasskeyStores;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
  readonly keyRing: KeyRing;
  readonly signer: TokenSigner;
  readonly rateLimiter: RateLimiter;
  readonly minting: TokenMakingLimit;
  readonly outbound: Outbound;
  readonly lookups: Lookups;
  readonly listening: { readonly isLocal: boolean };
  readonly hasher: HasherPool;
  /**
   * Hasher for the first account, which hashes without the pool of `hasher` while `openAccounts` waits. If null, the pool
   * hashes, and `openAccounts` does not wait for the first account.
   */
  readonly startHasher: PasswordHasher | null;
  /** Whether a password is on the list of common passwords, or undefined if the list is not used. */
  readonly isCommonPassword: ((password: string) => boolean) | undefined;
  /** Sender of mail that replaces the server in `SVC_SMTP_URL`. */
  readonly mailer: Mailer | undefined;
  /** Returns the number of a team's phones, including phones that are not connected. */
  readonly countDevices: (teamId: string) => number;
  /** Returns the number of webhooks that get only the events of a team. */
  readonly countWebhooks: (teamId: string) => number;
}

export interface Accounts {
  /**
   * Resolves when the first account exists, and rejects if it cannot be created. Requests that need an account must wait
   * for it. It is settled already unless `startHasher` is null.
   */
  readonly firstAccount: Promise<void>;
  readonly changes: AccountChanges;
  readonly signIns: SignIns;
  readonly dashboardSessions: DashboardSessions;
  readonly passwordSignIn: PasswordSignIn;
  readonly passkeyVerifier: PasskeyVerifier;
  readonly passkeySignIn: PasskeySignIn;
  readonly signInAttempts: SignInAttempts;
  /**
   * Counts refused OAuth grants and failed sign-ins through an OpenID provider by client network, so that floods are
   * refused (see `refuseFlood`).
   */
  readonly refusedGrants: Attempts;
  /** Whether reset links are sent by mail. */
  readonly mailsResetLinks: boolean;
  /** Sign-in through an OpenID provider, or null if it is off. */
  readonly oidc: OidcService | null;
  readonly apiTokens: ApiTokens;
  readonly bearerTokens: IssueBearer;
  readonly cascade: Cascade;
  readonly terminalSignIns: TerminalSignIns;
  readonly directoryUsers: DirectoryUsers;
  /** Authenticator of SCIM keys, which only the SCIM routes accept. */
  readonly scimAuthenticator: Authenticator;
  readonly workloadTokens: ExchangeToken;
  /** `listener` is called for each key or token that ends soon. */
  onTokenExpiring(listener: (expiring: ExpiringToken) => void): void;
}

/** Opens the accounts, and creates the first account if there is none. */
export async function openAccounts(needs: AccountNeeds): Promise<Module<Accounts>> {
  const { config, log, clock, random, stores, audit, authenticator, signer, hasher, outbound } = needs;
  // Each field is listed, so that a part gets only what it needs and not the whole configuration with its secrets.
  const { isCommonPassword, countDevices, countWebhooks } = needs;
  const shared = { stores, clock, random, hasher, audit, log, authenticator, isCommonPassword };
  const addFirst = await bootstrap(
    { ...shared, hasher: needs.startHasher ?? hasher },
    { ...config.bootstrap, isNode: config.node !== null },
  );
  const firstAccount = addFirst();
  if (needs.startHasher !== null) await firstAccount;
  // The caller that waits for the account gets the error. Until one waits, the error must not end the process.
  firstAccount.catch(() => undefined);
  const superAdminsOnly = config.passwordSignIn === 'break-glass';
  const issuer = identityUrl(config) === null ? null : (config.oidc?.issuer ?? null);
  const allowed = { superAdminsOnly, issuer };
  const resets = new ResetPassword(shared, {
    linkTtlMs: config.resetLinkTtlMs,
    // Clients at several addresses can request reset links for the same account, so the limit per account is higher
    // than the limit per address. It prevents many addresses together from flooding one mailbox.
    perAccount: new Attempts(clock, {
      ...config.resetLimit,
      attempts: config.resetLimit.attempts * LINKS_PER_ACCOUNT,
    }),
    superAdminsOnly,
  });
  const outbox = openOutbox(needs);
  const resetDelivery = new ResetDelivery({ config, resets, outbox, log });
  const signInAttempts = new SignInAttempts(clock, {
    byAddress: config.loginLimit,
    perAccount: config.accountLimit,
  });
  recallAddresses(signInAttempts, stores, networkOfAddress);
  const { revocationCascade: always, mcpTokenTtl: mcpLifetime } = config;
  const cascade = new Cascade({ clock, always, mcpLifetime });
  const signIns = new SignIns(shared, { ttlMs: config.signInTtlMs });
  // Load the passkey code at its first use, because it is large (contract 10).
  const ceremonies = async () => (await import('./passkeys/ceremonies.ts')).ceremonies;
  const passkeyTools = { ...shared, challenges: new PasskeyChallenges(shared), ceremonies };
  const passkeyVerifier = new PasskeyVerifier(passkeyTools);
  const verifier = new PasswordVerifier(shared, { bcryptCost: config.bcryptCost, superAdminsOnly });
  const apiTokens = new ApiTokens({ ...shared, cascade });
  const bearerTokens = new IssueBearer({ ...shared, signer, minting: needs.minting, mcpLifetime });
  const guesses = config.accountLimit === 0 ? null : { ...config.loginLimit, attempts: config.accountLimit };
  const terminalSignIns = new TerminalSignIns({ ...shared, apiTokens, bearerTokens, guesses });
  const workloadTokens = new ExchangeToken({
    ...shared,
    signer,
    keys: workloadKeys({
      ...{ clock, outbound, lookups: needs.lookups, allow: config.workloadAllow },
      isLocal: () => needs.listening.isLocal,
    }),
    publicUrl: config.publicUrl,
  });
  const users = new ManageUsers(shared);
  const changes = new AccountChanges();
  const oidc = openOidc({ ...shared, config, outbound, signIns, cascade });
  const ownIdentities = new OwnIdentities({ ...shared, allowed, cascade });
  const expiring: ((token: ExpiringToken) => void)[] = [];
  return {
    offers: {
      firstAccount,
      changes,
      signIns,
      dashboardSessions: new DashboardSessions({ stores, authenticator, signIns }),
      passwordSignIn: new PasswordSignIn({ signIns, passwords: verifier, attempts: signInAttempts }),
      passkeyVerifier,
      passkeySignIn: new PasskeySignIn({ signIns, verifier: passkeyVerifier, attempts: signInAttempts }),
      signInAttempts,
      refusedGrants: new Attempts(clock, {
        ...config.loginLimit,
        attempts: config.loginLimit.attempts * REFUSED_GRANTS_PER_ATTEMPT,
      }),
      mailsResetLinks: resetDelivery.mails,
      oidc,
      apiTokens,
      bearerTokens,
      cascade,
      terminalSignIns,
      directoryUsers: new DirectoryUsers(shared),
      scimAuthenticator: new Authenticator({
        ...{ stores, clock, audit, signer, limiter: needs.rateLimiter },
        schemes: [new ScimKeyScheme(stores.apiTokens)],
      }),
      workloadTokens,
      onTokenExpiring: (listener) => void expiring.push(listener),
    },
    handlers: {
      ...authHandlers({
        ...{ authDisabled: config.authDisabled, keyRing: needs.keyRing, bearerTokens, stores, clock },
      }),
      ...profileHandlers((caller) => rotateAccessKey(caller, shared), apiTokens),
      ...apiKeyHandlers(apiTokens),
      ...userHandlers(users, changes),
      ...teamHandlers(new ManageTeams({ ...shared, countDevices, countWebhooks }), (id) =>
        changes.changed(id),
      ),
      ...signInHandlers(signIns),
      ...reauthenticateHandlers({
        ...{ config, clock },
        passwords: new ChangePassword(shared),
        reauthenticate: new Reauthenticate({ ...shared, passkeys: passkeyVerifier }),
      }),
      ...resetHandlers({
        ...{ resets, resetDelivery, clock },
        checkReach: (caller, id) => users.checkReach(caller, id),
        requests: config.resetLimit,
      }),
      ...passkeyHandlers(new OwnPasskeys({ ...passkeyTools, allowed, cascade }), config),
      ...identityHandlers({ oidc, config, ownIdentities, users }),
      ...terminalHandlers(terminalSignIns),
      ...trustRuleHandlers(new TrustRules({ ...shared, publicUrl: config.publicUrl }), workloadTokens),
    },
    schedules: [
      removingExpired(stores, clock, log, longestLife(mcpLifetime) * 1000),
      sendingTokenNotices({
        ...{ outbox, publicUrl: config.publicUrl, clock, log },
        take: (most) => takeNotices(most, { stores, clock }),
        report: (token) => {
          for (const listener of expiring) listener(token);
        },
      }),
    ],
    metrics: metricsOf(hasher),
    close: async () => {
      await resetDelivery.close();
      await hasher.close();
    },
  };
}

function metricsOf(hasher: HasherPool): Metric[] {
  return [
    gauge('svc_queue_depth', 'What waits, by queue', () => {
      const { known, unknown } = hasher.depth;
      return byField('queue', { 'hashing of the known': known, 'hashing of strangers': unknown });
    }),
    gauge('svc_hashing_running', 'Passwords that are hashed now', () => single(hasher.depth.running)),
  ];
}

function openOutbox({ config: { mail }, audit, log, outbound, mailer }: AccountNeeds): Outbox | null {
  if (mailer !== undefined) return new Outbox(mailer, audit, log);
  const { smtpUrl, from } = mail;
  return smtpUrl === null ? null : new Outbox(smtpMailer({ smtpUrl, from }, outbound), audit, log);
}
