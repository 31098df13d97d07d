import { describe } from 'vitest';
import { accountSuite } from './suite/accounts.ts';
import { apiTokenSuite } from './suite/api-tokens.ts';
import { auditSuite } from './suite/audit.ts';
import { directoryUserSuite } from './suite/directory-users.ts';
import { identitySuite } from './suite/identities.ts';
import type { Open } from './suite/opened.ts';
import { settingSuite } from './suite/settings.ts';
import { signInSuite } from './suite/sign-ins.ts';
import { spentSuite } from './suite/spent.ts';
import { teamSuite } from './suite/teams.ts';
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
    auditSuite(open);
    spentSuite(open);
    settingSuite(open);
    trustRuleSuite(open);
    transactionSuite(open);
    versionSuite(open);
  });
}
