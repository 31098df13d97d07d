import type { NodeRecord, NodeStore } from '../hub/node-store.ts';

/** Store of nodes in memory, for tests. */
export class MemoryNodes implements NodeStore {
  readonly rows = new Map<string, NodeRecord>();

  all(): NodeRecord[] {
    return [...this.rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  save(node: NodeRecord): void {
    this.rows.set(node.name, node);
  }

  remove(name: string): void {
    this.rows.delete(name);
  }
}
