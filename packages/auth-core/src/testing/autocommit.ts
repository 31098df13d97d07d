import type { Readers, Stores, StoreTransaction } from '../ports/index.ts';

const STORES: readonly (keyof Readers)[] = [
  'accounts',
  'apiTokens',
  'signIns',
  'resetLinks',
  'teams',
  'audit',
  'replay',
  'revocations',
  'settings',
  'trustRules',
  'directoryUsers',
  'identities',
];

const WRITES = new Set<PropertyKey>([
  'insert',
  'update',
  'remove',
  'revoke',
  'setRateLimit',
  'setNextNotice',
  'prove',
  'end',
  'endAllOf',
  'cancelAllOf',
  'removeExpired',
  'removeExpiredProfileTokens',
  'add',
  'replaceAllOf',
  'addMember',
  'removeMember',
  'append',
  'removeBefore',
  'spend',
  'save',
  'noteRun',
  'noteSignIn',
  'attachSignIn',
  'detachSignIn',
  'removeEnded',
  'setEmailUnconfirmed',
]);

/** @returns stores that run each write in its own transaction, for tests that prepare rows one by one */
export function autocommit(stores: Stores): StoreTransaction {
  const store = (name: keyof Readers) =>
    new Proxy(stores[name], {
      get: (reader, method) =>
        WRITES.has(method)
          ? (...values: unknown[]) =>
              stores.transaction((tx) => Reflect.get(tx[name], method).apply(tx[name], values))
          : Reflect.get(reader, method).bind(reader),
    });
  return Object.fromEntries(STORES.map((name) => [name, store(name)])) as unknown as StoreTransaction;
}
