import { KeyObject } from 'node:crypto';
import type { Clock, KeyRing, Log } from '@svc/auth-core';
import type { DeviceLab } from '@svc/device-lab';
import type { Module } from '@svc/module';
import type { Outbound } from '@svc/outbound';
import { type GridAddress, GridClient, GridSessions, SignedSessionIds } from '@svc/webdriver-gate';

interface GridTools {
  readonly lab: DeviceLab;
  readonly keyRing: KeyRing;
  readonly issuer: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly outbound: Outbound;
}

/**
 * Address of the grid. `signsIds` is true if this server signs session ids, so that further entrances (servers without
 * a database in front of the same grid) can verify them.
 */
export type UpstreamGrid = GridAddress & { readonly signsIds: boolean };

/** Services for the grid behind this server (`SVC_UPSTREAM`). */
export interface GridServices {
  readonly client: GridClient;
  readonly sessions: GridSessions;
  /** Signer of session ids, or null if clients get the grid's own ids. */
  readonly ids: SignedSessionIds | null;
}

/**
 * Opens the services for the grid, or returns null if there is none. Sessions that were running in the grid when this
 * server stopped are continued.
 */
export function openGrid(
  upstream: UpstreamGrid | null,
  { lab, keyRing, issuer, clock, log, outbound }: GridTools,
): Module<GridServices> | null {
  if (upstream === null) return null;
  const client = new GridClient(upstream, outbound);
  const sessions = new GridSessions({ client, lab, clock, log });
  const own = () => {
    const key = keyRing.current?.privateKey;
    return key === undefined ? undefined : KeyObject.from(key);
  };
  // This server verifies no session ids, because it looks up the owners of sessions in its database. The list of
  // trusted keys is therefore empty.
  const ids = upstream.signsIds ? new SignedSessionIds({ own, trusted: () => [] }, issuer) : null;
  return {
    offers: { client, sessions, ids },
    handlers: {},
    schedules: [sessions],
    metrics: [],
    close: () => client.close(),
  };
}
