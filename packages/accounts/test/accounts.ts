import { type Account, type Caller, LOCAL_ORIGIN, type RequestOrigin } from '@svc/auth-core';
import { DAY, NOTHING, type Shown, setUpCore } from '@svc/auth-core/testing';
import { memoryStores } from '@svc/store-sqlite/testing';
import { ChangePassword } from '../src/passwords/change-password.ts';
import { PasswordVerifier } from '../src/passwords/verify-password.ts';
import type { AccountStores } from '../src/ports/stores.ts';
import { DashboardSessions } from '../src/sign-in/dashboard-session.ts';
import { type SignInBounds, SignIns } from '../src/sign-in/sign-in.ts';
import { ApiTokens } from '../src/tokens/api-tokens.ts';
import { ManageUsers } from '../src/users/manage-users.ts';

type Ring = Parameters<typeof setUpCore>[0];

/** Adds the parts of this package to the core with memory stores. */
export function setUpAccounts(ring: Ring, testStores: AccountStores = memoryStores(), ttlMs = DAY) {
  const core = setUpCore(ring, testStores, ttlMs);
  const { stores, clock, random, hasher, audit, authenticator, cascade } = core;
  const signIns = new SignIns({ stores, clock, random, audit }, { ttlMs });
  const verifier = new PasswordVerifier({ stores, clock, hasher, audit }, { bcryptCost: 12 });
  async function signInWith(
    email: string,
    password: string,
    from: RequestOrigin = LOCAL_ORIGIN,
    userAgent: string | null = null,
  ) {
    const place = { known: false, sender: from.peer };
    return signIns.open(await verifier.verify(email, password, from, place), 'password', from, userAgent);
  }
  return {
    ...core,
    apiTokens: new ApiTokens({ stores, clock, random, audit, cascade }),
    signIns,
    signInWith,
    /**
     * Signs in with the account's password.
     * @returns the cookie of the sign-in
     */
    async signIn(account: Account): Promise<Shown> {
      const { cookie } = await signInWith(account.email, `${account.name}-password`);
      return { ...NOTHING, cookie };
    },
    boundedSignIn(caller: Caller, bounds: Partial<SignInBounds>): Shown {
      const unbounded = {
        scopes: null,
        until: null,
        apiTokenId: null,
        teamId: null,
        rule: null,
        openedWith: [],
      };
      const { cookie } = stores.transaction((tx) =>
        signIns.openBounded(tx, caller, { ...unbounded, ...bounds }, null),
      );
      return { ...NOTHING, cookie };
    },
    passwords: new ChangePassword({ stores, hasher, audit, authenticator }),
    dashboardSessions: new DashboardSessions({ stores, authenticator, signIns }),
    users: new ManageUsers({ stores, clock, random, hasher, audit, authenticator }),
  };
}

export type TestAccounts = ReturnType<typeof setUpAccounts>;
