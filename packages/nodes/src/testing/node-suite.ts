import { opened } from '@svc/device-lab/testing';
import { describe, expect, it } from 'vitest';
import type { NodeStore } from '../hub/node-store.ts';

const NODE = {
  name: 'b:4723',
  url: 'http://b:4723',
  basePath: '/wd',
  version: '1.0.0',
  ownerId: 'admin',
  registeredAt: 1,
  lastSeenAt: 2,
  keyPin: null,
};

/** Opens a store of nodes for one test. */
type OpenNodes = () => Promise<{ readonly nodes: NodeStore; close(): void }>;

/** Defines the tests that every store of nodes must pass. */
export function nodeSuite(name: string, open: OpenNodes): void {
  describe(`nodes on ${name}`, () => {
    const stores = opened(open);

    it('nodes are one of each name, the latest, until they are removed (contract 8.1)', () => {
      const { nodes } = stores();
      expect(nodes.all()).toEqual([]);
      const other = { ...NODE, name: 'a', url: 'https://a', basePath: '', keyPin: 'pin' };
      nodes.save(NODE);
      nodes.save(other);
      nodes.save({ ...NODE, url: 'https://b:4723', lastSeenAt: 3 });
      expect(nodes.all()).toEqual([other, { ...NODE, url: 'https://b:4723', lastSeenAt: 3 }]);
      nodes.remove('unknown');
      nodes.remove(other.name);
      expect(nodes.all()).toHaveLength(1);
    });
  });
}
