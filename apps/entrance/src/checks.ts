import {
  Authenticator,
  BearerScheme,
  type Clock,
  HubKeys,
  type Log,
  OpenConnections,
  RateLimiter,
  RemoteVerifier,
  SignedSessionIds,
} from '@svc/auth-core';
import type { FirstEntrance } from './first/first-entrance.ts';
import { FollowAccounts } from './first/follow-accounts.ts';
import { ReceivedAccounts } from './first/received-accounts.ts';
import { RemoteKeyPairScheme } from './key-pairs/remote-key-pair.ts';

interface CheckOptions {
  readonly first: FirstEntrance;
  readonly issuer: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each failed request, with the time since the last answer of the first entrance. */
  readonly silent: (forMs: number) => void;
}

/** Checks callers and session ids by what the first entrance publishes and reports. */
export function openChecks({ first, issuer, clock, log, silent }: CheckOptions) {
  const keys = new HubKeys({ fetch: () => first.keys(), clock, log });
  const accounts = new ReceivedAccounts(clock);
  const follow = new FollowAccounts({ first, accounts, keys, clock, log, silent });
  const version = () => accounts.version();
  const stores = { accounts, version, versionHere: version };
  const learn = (accountId: string) => follow.learn(accountId);
  const signer = new RemoteVerifier({ keys, issuer, clock, learn });
  const schemes = [
    new RemoteKeyPairScheme({
      lookUp: (pair) => first.callerOf(pair),
      learn,
      version,
      ended: () => connections.recheck(),
      clock,
    }),
    new BearerScheme(signer),
  ];
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

/** The first entrance has the audit trail. This server writes refusals to its log only. */
const NO_AUDIT = {
  recordRefusal: () => undefined,
  recordBestEffort: () => undefined,
  recordAfterwards: () => undefined,
};
