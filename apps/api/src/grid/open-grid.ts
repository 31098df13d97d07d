import { KeyObject } from 'node:crypto';
import { type Clock, type KeyRing, type Log, SignedSessionIds } from '@svc/auth-core';
import type { DeviceLab } from '@svc/device-lab';
import type { Outbound } from '@svc/outbound';
import { type GridAddress, GridClient, GridSessions } from '@svc/webdriver-gate';

interface GridTools {
  readonly lab: DeviceLab;
  readonly keyRing: KeyRing;
  readonly issuer: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly outbound: Outbound;
}

/** Address of the grid, and whether session ids are signed for further entrances. */
export type UpstreamGrid = GridAddress & { readonly signsIds: boolean };

/** The grid that this server is the entrance of (`SVC_UPSTREAM`). */
export interface GridServices {
  readonly client: GridClient;
  readonly sessions: GridSessions;
  /** Signs session ids, or null if clients get the grid's ids. */
  readonly ids: SignedSessionIds | null;
}

/** Opens the grid. Sessions that were running there when this server stopped are continued. */
export function openGrid(
  upstream: UpstreamGrid | null,
  { lab, keyRing, issuer, clock, log, outbound }: GridTools,
): GridServices | null {
  if (upstream === null) return null;
  const client = new GridClient(upstream, outbound);
  const sessions = new GridSessions({ client, lab, clock, log });
  if (!upstream.signsIds) return { client, sessions, ids: null };
  const own = () => {
    const key = keyRing.current?.privateKey;
    return key === undefined ? undefined : KeyObject.from(key);
  };
  // It signs only, because this server's database has the owners.
  return { client, sessions, ids: new SignedSessionIds({ own, trusted: () => [] }, issuer) };
}
