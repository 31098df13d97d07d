import { Conflict } from '@svc/auth-core';
import type { Lease, LeaseStore } from '../leases/lease.ts';

/** Store of leases in memory, for tests. */
export class MemoryLeases implements LeaseStore {
  readonly rows = new Map<string, Lease>();

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
}
