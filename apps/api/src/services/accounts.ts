import {
  Attempts,
  bootstrap,
  ChangePassword,
  DashboardSessions,
  DirectoryUsers,
  ExchangeToken,
  type Mailer,
  ManageTeams,
  ManageUsers,
  Outbox,
  OwnIdentities,
  OwnPasskeys,
  PasskeyChallenges,
  PasskeySignIn,
  PasskeyVerifier,
  PasswordSignIn,
  PasswordVerifier,
  Reauthenticate,
  ResetDelivery,
  ResetPassword,
  recallAddresses,
  SignInAttempts,
  SignIns,
  smtpMailer,
  TerminalSignIns,
  TrustRules,
  workloadKeys,
} from '@svc/accounts';
import { AccessKeys, ApiTokens, Authenticator, Cascade, IssueBearer, ScimKeyScheme } from '@svc/auth-core';
import { identityUrl } from '@svc/settings';
import { networkOfAddress } from '../clients/client-network.ts';
import type { HashingDepth } from '../hashing/hashing-queue.ts';
import { createHasherPool, type HasherPool } from '../hashing/password-hasher.ts';
import { startHasher } from '../hashing/start-hasher.ts';
import { commonPasswords } from '../runtime/common-passwords.ts';
import { type CoreServices, endTokens } from './core.ts';

/** The limit of reset links per account is this many times the limit per client address, in the same time window. */
const LINKS_PER_ACCOUNT = 4;

/**
 * The limit of refused OAuth grants is this many times the limit of sign-in attempts, in the same time window. It can
 * be high, because a signed token cannot be guessed and many CI jobs share one address; it only bounds the work that
 * refused requests cause.
 */
const REFUSED_GRANTS_PER_ATTEMPT = 60;

/** Services for accounts and their credentials. */
export interface AccountServices {
  readonly signIns: SignIns;
  readonly dashboardSessions: DashboardSessions;
  readonly passwordSignIn: PasswordSignIn;
  readonly passkeyVerifier: PasskeyVerifier;
  readonly passkeySignIn: PasskeySignIn;
  readonly ownPasskeys: OwnPasskeys;
  readonly ownIdentities: OwnIdentities;
  readonly signInAttempts: SignInAttempts;
  /**
   * Counts refused OAuth grants and failed sign-ins through an OpenID provider by client network, so that floods are
   * refused (see `refuseFlood`).
   */
  readonly refusedGrants: Attempts;
  readonly passwords: ChangePassword;
  readonly reauthenticate: Reauthenticate;
  readonly resets: ResetPassword;
  readonly resetDelivery: ResetDelivery;
  readonly accessKeys: AccessKeys;
  readonly apiTokens: ApiTokens;
  readonly cascade: Cascade;
  readonly bearerTokens: IssueBearer;
  readonly terminalSignIns: TerminalSignIns;
  readonly users: ManageUsers;
  readonly teams: ManageTeams;
  readonly trustRules: TrustRules;
  readonly directoryUsers: DirectoryUsers;
  /** Authenticator of SCIM keys, which only the SCIM routes accept. */
  readonly scimAuthenticator: Authenticator;
  readonly workloadTokens: ExchangeToken;
  readonly hashingDepth: () => HashingDepth;
}

export interface AccountOptions {
  /** Sender of mail that replaces the server in `SVC_SMTP_URL`. */
  readonly mailer?: Mailer;
  /** Password hasher that replaces bcrypt in worker threads. */
  readonly hasher?: HasherPool;
}

/** Opens the services for accounts, and creates the first account if there is none. */
export async function openAccounts(
  core: CoreServices,
  { mailer, hasher: givenHasher }: AccountOptions,
): Promise<AccountServices & { readonly outbox: Outbox | null; close(): Promise<void> }> {
  const { config, log, clock, random, stores, audit, authenticator, signer, rateLimiter, minting } = core;
  const isCommonPassword = config.passwordBlocklist ? commonPasswords() : undefined;
  const hasher = givenHasher ?? createHasherPool(config.bcryptCost);
  const shared = { stores, clock, random, hasher, audit, log, authenticator, isCommonPassword };
  const first = { ...config.bootstrap, isNode: config.node !== null };
  await bootstrap({ ...shared, hasher: givenHasher ?? startHasher(config.bcryptCost) }, first);
  // Clients at several addresses can request reset links for the same account, so the limit per account is higher than
  // the limit per address. It prevents many addresses together from flooding one mailbox.
  const { attempts, windowMs } = config.resetLimit;
  const superAdminsOnly = config.passwordSignIn === 'break-glass';
  const issuer = identityUrl(config) === null ? null : (config.oidc?.issuer ?? null);
  const allowed = { superAdminsOnly, issuer };
  const perAccount = new Attempts(clock, { attempts: attempts * LINKS_PER_ACCOUNT, windowMs });
  const resets = new ResetPassword(shared, {
    linkTtlMs: config.resetLinkTtlMs,
    perAccount,
    superAdminsOnly,
  });
  const outbox = openOutbox(core, mailer);
  const resetDelivery = new ResetDelivery({ config, resets, outbox, log });
  const signInAttempts = new SignInAttempts(clock, {
    byAddress: config.loginLimit,
    perAccount: config.accountLimit,
  });
  recallAddresses(signInAttempts, stores, networkOfAddress);
  const { revocationCascade: always, mcpTokenTtl: mcpLifetime } = config;
  const cascade = new Cascade({ clock, always, mcpLifetime });
  const signIns = new SignIns(shared, { ttlMs: config.signInTtlMs });
  // Devices that are away (not connected) count as well, because their team is stored.
  const countDevices = (teamId: string): number =>
    stores.deviceSettings.all().filter((device) => device.teamId === teamId).length;
  const countWebhooks = (teamId: string): number =>
    stores.webhooks.all().filter((webhook) => webhook.teamId === teamId).length;
  // Load the passkey code at its first use, because it is large (contract 10).
  const ceremonies = async () => (await import('@svc/accounts/passkeys')).ceremonies;
  const passkeyTools = { ...shared, challenges: new PasskeyChallenges(shared), ceremonies };
  const passkeyVerifier = new PasskeyVerifier(passkeyTools);
  const verifier = new PasswordVerifier(shared, { bcryptCost: config.bcryptCost, superAdminsOnly });
  const apiTokens = new ApiTokens({ ...shared, cascade });
  const endMinted = endTokens(core, cascade);
  const bearerTokens = new IssueBearer({ ...shared, signer, mcpLifetime: config.mcpTokenTtl, minting });
  const guesses = config.accountLimit === 0 ? null : { ...config.loginLimit, attempts: config.accountLimit };
  return {
    signIns,
    dashboardSessions: new DashboardSessions({ stores, authenticator, signIns }),
    passwordSignIn: new PasswordSignIn({ signIns, passwords: verifier, attempts: signInAttempts }),
    passkeyVerifier,
    passkeySignIn: new PasskeySignIn({ signIns, verifier: passkeyVerifier, attempts: signInAttempts }),
    ownPasskeys: new OwnPasskeys({ ...passkeyTools, allowed, endMinted }),
    ownIdentities: new OwnIdentities({ ...shared, allowed, endMinted }),
    signInAttempts,
    refusedGrants: new Attempts(clock, {
      ...config.loginLimit,
      attempts: config.loginLimit.attempts * REFUSED_GRANTS_PER_ATTEMPT,
    }),
    passwords: new ChangePassword(shared),
    reauthenticate: new Reauthenticate({ ...shared, passkeys: passkeyVerifier }),
    resets,
    resetDelivery,
    accessKeys: new AccessKeys(shared),
    apiTokens,
    cascade,
    bearerTokens,
    terminalSignIns: new TerminalSignIns({ ...shared, apiTokens, bearerTokens, guesses }),
    users: new ManageUsers(shared),
    directoryUsers: new DirectoryUsers(shared),
    scimAuthenticator: new Authenticator({
      ...{ stores, clock, audit, signer, limiter: rateLimiter },
      schemes: [new ScimKeyScheme(stores.apiTokens)],
    }),
    teams: new ManageTeams({ ...shared, countDevices, countWebhooks }),
    trustRules: new TrustRules({ ...shared, publicUrl: config.publicUrl }),
    workloadTokens: new ExchangeToken({
      ...shared,
      signer,
      keys: workloadKeys({
        ...{ clock, outbound: core.outbound, lookups: core.lookups, allow: config.workloadAllow },
        isLocal: () => core.listening.isLocal,
      }),
      publicUrl: config.publicUrl,
    }),
    hashingDepth: () => hasher.depth,
    outbox,
    close: async () => {
      await resetDelivery.close();
      await hasher.close();
    },
  };
}

function openOutbox(
  { config: { mail }, audit, log, outbound }: CoreServices,
  mailer?: Mailer,
): Outbox | null {
  if (mailer !== undefined) return new Outbox(mailer, audit, log);
  const { smtpUrl, from } = mail;
  return smtpUrl === null ? null : new Outbox(smtpMailer({ smtpUrl, from }, outbound), audit, log);
}
