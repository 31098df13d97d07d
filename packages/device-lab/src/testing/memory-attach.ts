import type { AttachAddress, AttachStore, AttachUse } from '../attach/attach-address.ts';

/** Store of attach addresses in memory, for tests. */
export class MemoryAttach implements AttachStore {
  readonly rows = new Map<string, AttachAddress>();

  all(): AttachAddress[] {
    return [...this.rows.values()];
  }

  insert(address: AttachAddress): void {
    this.rows.set(address.id, address);
  }

  used(id: string, lastUse: AttachUse): void {
    const address = this.rows.get(id);
    if (address !== undefined) this.rows.set(id, { ...address, lastUse });
  }

  remove(id: string): void {
    this.rows.delete(id);
  }
}
