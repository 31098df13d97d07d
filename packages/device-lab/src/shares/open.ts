import type { Audit, Log, Stores } from '@svc/auth-core';
import { byField, counter, every, gauge, HOUR_MS, type Module, removing, single } from '@svc/module';
import type { DeviceLab } from '../device-lab.ts';
import { shareHandlers } from './handlers.ts';
import { ShareDirectory } from './share-directory.ts';
import type { ShareStore } from './share-limits.ts';

const COUNT_EVERY_MS = 5_000;

interface Needs {
  readonly lab: Pick<DeviceLab, 'shares' | 'accountClock' | 'queue' | 'heldLeases'>;
  readonly store: ShareStore;
  readonly stores: Pick<Stores, 'accounts' | 'teams' | 'transaction'>;
  readonly audit: Audit;
  /** Returns the setting `usageByPerson`. */
  readonly byPerson: () => boolean;
  readonly log: Log;
}

/** Opens what teams and accounts may use of the lab, and what they have used. */
export function openShares({ lab, byPerson, log, ...tools }: Needs): Module<null> {
  const { shares, accountClock, queue } = lab;
  return {
    offers: null,
    handlers: shareHandlers(new ShareDirectory({ ...tools, shares, wake: () => queue.wake() })),
    schedules: [
      every(
        COUNT_EVERY_MS,
        () => {
          accountClock.count();
          accountClock.write();
          endLeases(lab, log);
        },
        () => {
          accountClock.count();
          accountClock.write(true);
        },
      ),
      removing(
        {
          what: 'Old times of accounts',
          everyMs: HOUR_MS,
          removeOld: () => accountClock.removeOld(byPerson()),
        },
        log,
      ),
    ],
    metrics: [
      gauge('svc_shares', 'Teams and accounts that have limits', () => single(shares.subjects().length)),
      counter('svc_share_refusals_total', 'Sessions and leases refused by a limit of a team or account', () =>
        byField('limit', shares.refused),
      ),
    ],
    close: async () => undefined,
  };
}

/**
 * Ends the leases of accounts whose minutes of today are used up. A lease is bounded when it is created, but an account
 * with several leases uses its minutes faster. Never throws.
 */
export function endLeases({ shares, heldLeases }: Pick<DeviceLab, 'shares' | 'heldLeases'>, log: Log): void {
  if (shares.subjects().length === 0) return;
  const left = new Map<string, number>();
  for (const lease of heldLeases.all()) {
    const { ownerId } = lease;
    if (!left.has(ownerId)) left.set(ownerId, shares.leftMs(ownerId));
    if (left.get(ownerId) !== 0) continue;
    try {
      heldLeases.end(lease, 'the minutes of today are used up', {});
    } catch (error) {
      log.warn('A lease whose minutes are used up could not be ended', {
        lease: lease.id,
        cause: String(error),
      });
    }
  }
}
