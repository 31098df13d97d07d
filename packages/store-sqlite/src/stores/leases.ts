import type { Lease, LeasedTime, LeaseStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import { ifPresent, json, Rows, required, type Table } from './table.ts';

export const LEASES: Table<Lease> = {
  name: 'leases',
  columns: {
    id: required,
    udid: required,
    ownerId: required,
    hash: required,
    createdAt: required,
    expiresAt: required,
    agent: ifPresent(json),
  },
};

/** Time (ms) for which an agent held leased phones without a session on a day, which is its beginning. */
export const AGENT_LEASE_TIMES: Table<{ agentId: string; day: number; ms: number }> = {
  name: 'agent_lease_times',
  columns: { agentId: required, day: required, ms: required },
};

export function leaseRows(connection: Connection): LeaseStore {
  const leases = new Rows(connection, LEASES);
  const times = new Rows(connection, AGENT_LEASE_TIMES);
  const all = leases.all('order by created_at, rowid');
  const insert = leases.insert();
  const extend = leases.update('expiresAt');
  const remove = leases.remove();
  const timesOf = connection.prepare<{ day: number }, LeasedTime>(
    'select agent_id as id, ms from agent_lease_times where day = @day',
  );
  const saveTime = times.save('agentId');
  const removeOtherDays = times.remove<{ day: number }>('day <> @day');
  return {
    all: () => all({}),
    insert: (lease) => connection.join(() => insert(lease)),
    extend: (id, expiresAt) => connection.join(() => extend({ id, expiresAt })),
    remove: (id) => connection.join(() => remove({ id })),
    leasedTimes: (day) => timesOf.all({ day }),
    saveLeasedTimes: (day, saved) =>
      connection.join(() => {
        for (const { id, ms } of saved) saveTime({ agentId: id, day, ms });
        removeOtherDays({ day });
      }),
  };
}
