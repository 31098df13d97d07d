import type { Role } from '@svc/contract';
import { expect } from 'vitest';
import { Audit, LOCAL_ORIGIN } from '../audit.ts';
import { Authenticator } from '../credentials/authenticate.ts';
import type { PresentedCredentials } from '../credentials/presented.ts';
import { credentialSchemes } from '../credentials/schemes.ts';
import { slidTo } from '../credentials/sign-in.ts';
import { Cascade } from '../flows/cascade.ts';
import { IssueBearer } from '../flows/issue-bearer.ts';
import { RateLimiter } from '../limits/rate-limiter.ts';
import type { BearerRequest } from '../policy/issue-bearer.ts';
import type { ApiToken, NewAccount, SignIn, Stores } from '../ports/index.ts';
import type { Account, Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import { ALL_SCOPES } from '../scopes.ts';
import { newAccessKey, newOpaqueSecret, secretHash } from '../secrets/opaque.ts';
import { newTokenSecret } from '../secrets/token-secret.ts';
import type { KeyRing } from '../tokens/key-ring.ts';
import { TokenSigner } from '../tokens/signer.ts';
import { autocommit } from './autocommit.ts';
import { fakeClock } from './fake-clock.ts';
import { seededRandom } from './seeded-random.ts';
import { NOON, refusalOfAsync } from './support.ts';

export const DAY = 24 * 60 * 60 * 1000;
/** Credentials of a request as texts. Each is undefined if the request has no credential of that kind. */
export interface Shown {
  readonly accessKey: string | undefined;
  readonly token: string | undefined;
  readonly bearer: string | undefined;
  readonly cookie: string | undefined;
}

export const NOTHING: Shown = {
  accessKey: undefined,
  token: undefined,
  bearer: undefined,
  cookie: undefined,
};

/** @returns the headers and the cookie of a request with these credentials */
export function presenting({ accessKey, token, bearer, cookie }: Shown): PresentedCredentials {
  return {
    headers: {
      'x-svc-access-key': accessKey,
      'x-svc-token': token,
      authorization: bearer === undefined ? undefined : `Bearer ${bearer}`,
    },
    cookie,
  };
}

/** An `Authenticator` to which tests can pass credentials without building a request. */
export class TestAuthenticator extends Authenticator {
  override authenticate(shown: Shown | PresentedCredentials, from: RequestOrigin = LOCAL_ORIGIN) {
    return super.authenticate('headers' in shown ? shown : presenting(shown), from);
  }

  override authenticateSessionToken(token: string, from: RequestOrigin = LOCAL_ORIGIN) {
    return super.authenticateSessionToken(token, from);
  }
}

/**
 * Password hasher for tests. Its hashes have the form of bcrypt but contain the password, and it lists all comparisons.
 */
export class OpenHasher {
  readonly compared: { password: string; hash: string }[] = [];
  /** Function that runs during each comparison, with which a test can change the stores meanwhile. */
  meanwhile: () => void = () => {};

  static of(password: string, cost = 12): string {
    return `$2b$${cost}$hash of ${password}`;
  }

  async hash(password: string): Promise<string> {
    this.meanwhile();
    return OpenHasher.of(password);
  }

  async matches(password: string, hash: string): Promise<boolean> {
    this.compared.push({ password, hash });
    this.meanwhile();
    return hash === OpenHasher.of(password, Number(hash.slice(4, 6)));
  }
}

/** Creates the parts of this package with a clock that starts at `NOON`. */
export function setUpCore<S extends Stores>(ring: KeyRing, stores: S, signInTtlMs = DAY) {
  const clock = fakeClock(NOON);
  const random = seededRandom(11);
  const hasher = new OpenHasher();
  const audit = new Audit(stores, clock, random);
  const signer = new TokenSigner(ring, clock, random, 'svc');
  const limiter = new RateLimiter(clock);
  const arrange = autocommit<Stores>(stores);
  const schemes = credentialSchemes({ stores, signer, signInTtlMs });
  const authenticator = new TestAuthenticator({ stores, clock, audit, limiter, schemes, signer });
  const cascade = new Cascade({ clock, always: false, mcpLifetime: 86_400 });
  /** Stores a sign-in without the rules for opening one. */
  const openSignIn = (account: Account, bounds: Partial<SignIn>): Shown => {
    const cookie = newOpaqueSecret(random);
    const now = clock.now();
    const unbounded = {
      scopes: null,
      until: null,
      apiTokenId: null,
      teamId: null,
      rule: null,
      openedWith: [],
    };
    const until = bounds.until ?? null;
    const times = { createdAt: now, lastSeenAt: now, expiresAt: slidTo({ until }, now, signInTtlMs) };
    const about = { id: random.uuid(), accountId: account.id, provenAt: null, userAgent: null };
    arrange.signIns.insert({ ...unbounded, ...about, ...times, ...bounds }, secretHash(cookie));
    return { ...NOTHING, cookie };
  };

  const core = {
    clock,
    random,
    hasher,
    audit,
    stores,
    /** Stores that change rows without the rules of the flows, to prepare a test. */
    arrange: autocommit(stores),
    signer,
    authenticator,
    limiter,
    cascade,

    addUser(name: string, role: Role, change: Partial<NewAccount> = {}): Account {
      const id = random.uuid();
      arrange.accounts.insert({
        id,
        email: `${name}@lab.test`,
        name,
        role,
        status: 'Active',
        accessKey: newAccessKey(random),
        passwordHash: OpenHasher.of(`${name}-password`),
        temporaryPasswordUntil: null,
        defaultPassword: false,
        createdAt: clock.now(),
        ...change,
      });
      return core.user(id);
    },

    user(id: string): Account {
      const account = stores.accounts.byId(id);
      if (account === undefined) throw new Error('no such account');
      return account;
    },

    /** Adds an API token with an old creation time, without the rules for creating one. */
    addToken(
      owner: Account,
      change: Partial<ApiToken> = {},
    ): { token: ApiToken; secret: string; pair: Shown } {
      const secret = newTokenSecret(random);
      const token: ApiToken = {
        id: random.uuid(),
        ownerId: owner.id,
        kind: 'api-key',
        name: 'CI',
        scopes: ALL_SCOPES,
        rateLimit: 300,
        teamId: null,
        createdAt: clock.now(),
        expiresAt: null,
        lastUsedAt: null,
        rule: null,
        ...change,
      };
      arrange.apiTokens.insert(token, secretHash(secret));
      return { token, secret, pair: core.pair(owner, secret) };
    },

    pair(owner: Account, secret: string): Shown {
      return { ...NOTHING, accessKey: core.user(owner.id).accessKey, token: secret };
    },

    /**
     * Signs in to an account.
     * @returns the cookie of the sign-in
     */
    async signIn(account: Account): Promise<Shown> {
      return openSignIn(account, { provenAt: clock.now() });
    },

    boundedSignIn(caller: Caller, bounds: Partial<SignIn>): Shown {
      return openSignIn(caller.account, bounds);
    },

    async verify(presented: Shown): Promise<Caller> {
      return await authenticator.authenticate(presented);
    },

    async issue(caller: Caller, request: BearerRequest = {}, mcpLifetime = 86_400) {
      const bearers = new IssueBearer({ stores, audit, authenticator, signer, mcpLifetime });
      const issued = await bearers.issue(caller, request);
      return { ...issued, bearer: { ...NOTHING, bearer: issued.token } as Shown };
    },
  };
  return core;
}

export type Core = ReturnType<typeof setUpCore<Stores>>;

/**
 * Names of the kinds of credentials that the tests use, each with its own public code of a refusal (specification
 * 5.1.3).
 */
export const KINDS = ['key', 'bearer of a key', 'bearer of a sign-in', 'sign-in'] as const;
export type Kind = (typeof KINDS)[number];
export const WORD: Record<Kind, string> = {
  key: 'invalid credentials',
  'bearer of a key': 'invalid token',
  'bearer of a sign-in': 'invalid token',
  'sign-in': 'invalid session',
};

export async function credentialOf(core: Core, user: Account, kind: Kind): Promise<Shown> {
  if (kind === 'key') return core.addToken(user).pair;
  if (kind === 'sign-in') return core.signIn(user);
  const source = await credentialOf(core, user, kind === 'bearer of a key' ? 'key' : 'sign-in');
  return (await core.issue(await core.verify(source))).bearer;
}

/**
 * @returns the public code with which a credential is refused, or fails the test if the status of the refusal is not
 * 401
 */
export async function wordFor(core: Core, presented: Shown): Promise<string> {
  const refusal = await refusalOfAsync(() => core.verify(presented));
  expect(refusal.status).toBe(401);
  return refusal.code;
}
