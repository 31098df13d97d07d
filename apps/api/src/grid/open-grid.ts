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

/** Where the grid is, and whether ids of sessions are signed for further entrances. */
export type UpstreamGrid = GridAddress & { readonly signsIds: boolean };

/** The grid this server is the entrance of (`SVC_UPSTREAM`). */
export interface GridServices {
  readonly client: GridClient;
  readonly sessions: GridSessions;
  /** Null: clients get the grid's own ids. */
  readonly ids: SignedSessionIds | null;
}

/** Sessions that ran there when this server stopped are taken up again. */
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
  // Whose its sessions are stands in this server's database.
  return { client, sessions, ids: new SignedSessionIds({ own, trusted: () => [] }, issuer) };
}
