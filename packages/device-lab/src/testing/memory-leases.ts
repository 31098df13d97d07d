import { Conflict } from '@svc/auth-core';
import type { Lease, LeasedTime, LeaseStore } from '../leases/lease.ts';

/** Store of leases in memory, for tests. */
export class MemoryLeases implements LeaseStore {
  readonly rows = new Map<string, Lease>();
  #times: { day: number; ms: Map<string, number> } = { day: 0, ms: new Map() };

  all(): Lease[] {
    return [...this.rows.values()];
  }

  insert(lease: Lease): void {
    if (this.all().some(({ udid }) => udid === lease.udid)) throw new Conflict('leases.udid');
    this.rows.set(lease.id, lease);
  }

  extend(id: string, expiresAt: number): void {
    const lease = this.rows.get(id);
    if (lease !== undefined) this.rows.set(id, { ...lease, expiresAt });
  }

  remove(id: string): void {
    this.rows.delete(id);
  }

  leasedTimes(day: number): LeasedTime[] {
    return day === this.#times.day ? [...this.#times.ms].map(([id, ms]) => ({ id, ms })) : [];
  }

  saveLeasedTimes(day: number, times: readonly LeasedTime[]): void {
    if (day !== this.#times.day) this.#times = { day, ms: new Map() };
    for (const { id, ms } of times) this.#times.ms.set(id, ms);
  }
}
