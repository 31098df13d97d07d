import type { Stores, StoreTransaction } from '../ports/index.ts';
import { memoryAccounts, memoryTeams } from './memory/accounts.ts';
import { memoryApiTokens, memoryResetLinks, memoryRevocations, memorySignIns } from './memory/credentials.ts';
import { memoryDirectoryUsers } from './memory/directory-users.ts';
import { memoryIdentities } from './memory/identities.ts';
import { Journal } from './memory/journal.ts';
import { emptyTables } from './memory/tables.ts';
import { memoryAudit, memoryReplay, memorySettings } from './memory/trail.ts';
import { memoryTrustRules } from './memory/trust-rules.ts';

/** @returns stores in memory, with rollback. They pass the same tests as the stores of the database. */
export function memoryStores(): Stores {
  const journal = new Journal();
  const tables = emptyTables(journal);
  const accounts = memoryAccounts(tables);
  const tx: StoreTransaction = {
    accounts,
    apiTokens: memoryApiTokens(tables, journal),
    signIns: memorySignIns(tables, journal),
    resetLinks: memoryResetLinks(tables),
    teams: memoryTeams(tables, accounts),
    audit: memoryAudit(tables, journal),
    replay: memoryReplay(tables),
    revocations: memoryRevocations(tables),
    settings: memorySettings(tables),
    trustRules: memoryTrustRules(tables, journal),
    directoryUsers: memoryDirectoryUsers(tables),
    identities: memoryIdentities(tables),
  };
  return {
    ...tx,
    transaction: (work) => journal.transaction(() => work(tx)),
    afterTransaction: journal.afterTransaction,
    version: () => journal.changes,
    versionHere: () => journal.changes,
  };
}
