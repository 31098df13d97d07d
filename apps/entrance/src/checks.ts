import {
  Authenticator,
  BasicPairScheme,
  BearerScheme,
  type Clock,
  type Log,
  RateLimiter,
} from '@svc/auth-core';
import { OpenConnections } from '@svc/module';
import { HubKeys, RemoteVerifier } from '@svc/nodes';
import { SignedSessionIds } from '@svc/webdriver-gate';
import type { FirstEntrance } from './first/first-entrance.ts';
import { FollowAccounts } from './first/follow-accounts.ts';
import { ReceivedAccounts } from './first/received-accounts.ts';
import { RemoteKeyPairScheme } from './key-pairs/remote-key-pair.ts';

interface CheckOptions {
  readonly first: FirstEntrance;
  readonly issuer: string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Called after each failed request to the first entrance (the server with the accounts), with the time in ms since
   * its last response.
   */
  readonly silent: (forMs: number) => void;
}

/**
 * Creates the checks of callers and session ids on a server without a database. They use the signing keys and accounts
 * that the first entrance sends.
 */
export function openChecks({ first, issuer, clock, log, silent }: CheckOptions) {
  const keys = new HubKeys({ fetch: () => first.keys(), clock, log });
  const accounts = new ReceivedAccounts(clock);
  const follow = new FollowAccounts({ first, accounts, keys, clock, log, silent });
  const version = () => accounts.version();
  const trustRules = { byId: (id: string) => accounts.trustRule(id) };
  const stores = { accounts, trustRules, version, versionHere: version };
  const learn = (accountId: string) => follow.learn(accountId);
  const longestLife = () => accounts.longestLife;
  const signer = new RemoteVerifier({ keys, issuer, clock, longestLife, learn });
  const pairs = new RemoteKeyPairScheme({
    lookUp: (pair) => first.callerOf(pair),
    learn,
    version,
    ended: () => connections.recheck(),
    clock,
  });
  const schemes = [pairs, new BasicPairScheme(pairs), new BearerScheme(signer, accounts)];
  const authenticator = new Authenticator({
    stores,
    clock,
    audit: NO_AUDIT,
    limiter: new RateLimiter(clock),
    schemes,
    signer,
  });
  const connections = new OpenConnections({ stores, authenticator, clock, log });
  const ids = new SignedSessionIds({ own: () => undefined, trusted: () => keys.all() }, issuer);
  return { accounts, follow, authenticator, connections, ids };
}

/**
 * Discards audit events, because only the first entrance has an audit trail. Refusals
 * are still written to the log of this server.
 */
const NO_AUDIT = {
  recordRefusal: () => undefined,
  recordBestEffort: () => undefined,
  recordAfterwards: () => undefined,
};
