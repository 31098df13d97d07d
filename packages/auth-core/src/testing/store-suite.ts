import { describe } from 'vitest';
import { accountSuite } from './suite/accounts.ts';
import { apiTokenSuite } from './suite/api-tokens.ts';
import { directoryUserSuite } from './suite/directory-users.ts';
import { identitySuite } from './suite/identities.ts';
import type { Open } from './suite/opened.ts';
import { signInSuite } from './suite/sign-ins.ts';
import { teamSuite } from './suite/teams.ts';
import { trailSuite } from './suite/trail.ts';
import { transactionSuite } from './suite/transactions.ts';
import { trustRuleSuite } from './suite/trust-rules.ts';
import { versionSuite } from './suite/version.ts';

/** Defines the tests that every implementation of the stores has to pass. `open` opens new stores for each test. */
export function storeSuite(name: string, open: Open): void {
  describe(`stores on ${name}`, () => {
    accountSuite(open);
    teamSuite(open);
    apiTokenSuite(open);
    signInSuite(open);
    directoryUserSuite(open);
    identitySuite(open);
    trailSuite(open);
    trustRuleSuite(open);
    transactionSuite(open);
    versionSuite(open);
  });
}
