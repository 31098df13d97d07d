import type { AccountStores } from '@svc/accounts';
import { afterEach, beforeEach } from 'vitest';

interface OpenStores {
  readonly stores: AccountStores;
  close(): Promise<void> | void;
}

export type Open = () => Promise<OpenStores>;

/** Opens new stores before each test and closes them after it. The property `stores` can be read only inside a test. */
export function opened(open: Open): { readonly stores: AccountStores } {
  let current: OpenStores | undefined;
  beforeEach(async () => {
    current = await open();
  });
  afterEach(async () => {
    await current?.close();
    current = undefined;
  });
  return {
    get stores() {
      if (current === undefined) throw new Error('The stores are open inside a test only');
      return current.stores;
    },
  };
}
