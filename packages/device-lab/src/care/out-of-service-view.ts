import type { Stores } from '@svc/auth-core';
import type { OutOfServiceView } from '../device.ts';
import type { CareAtNodes } from './care-at-nodes.ts';
import type { OutOfService } from './out-of-service.ts';

interface Tools {
  readonly care: Pick<OutOfService, 'on'>;
  readonly atNodes: Pick<CareAtNodes, 'on'>;
  readonly stores: Pick<Stores, 'accounts'>;
}

/** @returns why a phone is out of service at this server or at its node, or null if it is in service */
export function outOfServiceView(udid: string, { care, atNodes, stores }: Tools): OutOfServiceView | null {
  const row = care.on(udid);
  if (row === null) {
    const out = atNodes.on(udid);
    return out === null ? null : { reason: out.reason, by: null, since: out.since, until: out.until };
  }
  const account = row.byId === null ? undefined : stores.accounts.byId(row.byId);
  const by = row.byId === null ? null : { id: row.byId, email: account?.email ?? '' };
  return { reason: row.reason, by, since: row.since, until: row.until };
}
