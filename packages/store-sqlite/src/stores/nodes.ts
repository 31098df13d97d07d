import type { NodeRecord, NodeStore } from '@svc/nodes';
import type { Connection } from '../connection/connection.ts';
import { nullable, Rows, required, type Table } from './table.ts';

/** `ownerId` has no foreign key, because a node stays when the account that registered it is deleted. */
export const NODES: Table<NodeRecord> = {
  name: 'nodes',
  columns: {
    name: required,
    url: required,
    basePath: required,
    version: required,
    ownerId: required,
    registeredAt: required,
    lastSeenAt: required,
    keyPin: nullable,
  },
};

export function nodeRows(connection: Connection): NodeStore {
  const nodes = new Rows(connection, NODES);
  const all = nodes.all('order by name');
  const save = nodes.save('name');
  const remove = nodes.remove<{ name: string }>('name = @name');
  return {
    all: () => all({}),
    save: (node) => connection.join(() => save(node)),
    remove: (name) => connection.join(() => remove({ name })),
  };
}
