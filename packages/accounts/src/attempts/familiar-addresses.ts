import { lruCache } from '@svc/module';

const MOST_ACCOUNTS = 20_000;
const MOST_PER_ACCOUNT = 50;

/**
 * Client addresses from which each account has been signed in to. Each account has its own limit. At the limit, its
 * least recently used address is dropped.
 */
export class FamiliarAddresses {
  readonly #byAccount = lruCache<Set<string>>(MOST_ACCOUNTS);

  has(account: string, address: string): boolean {
    return this.#byAccount.get(account)?.has(address) === true;
  }

  add(account: string, address: string): void {
    const addresses = this.#byAccount.get(account) ?? new Set();
    addresses.delete(address);
    addresses.add(address);
    for (const oldest of addresses) {
      if (addresses.size <= MOST_PER_ACCOUNT) break;
      addresses.delete(oldest);
    }
    this.#byAccount.set(account, addresses);
  }
}
