import type { Clock, Log } from '@svc/auth-core';
import type { DeviceLab } from '@svc/device-lab';
import { type GridAddress, GridClient, GridSessions, type Outbound } from '@svc/webdriver-gate';

interface Around {
  readonly lab: DeviceLab;
  readonly clock: Clock;
  readonly log: Log;
  readonly outbound: Outbound;
}

/** The grid this server is the entrance of (`SVC_UPSTREAM`). */
export interface GridServices {
  readonly client: GridClient;
  readonly sessions: GridSessions;
}

/** Sessions that ran there when this server stopped are taken up again. */
export function openGrid(
  address: GridAddress | null,
  { lab, clock, log, outbound }: Around,
): GridServices | null {
  if (address === null) return null;
  const client = new GridClient(address, outbound);
  return { client, sessions: new GridSessions({ client, lab, clock, log }) };
}
