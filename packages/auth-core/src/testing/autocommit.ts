import type { Stores } from '../ports/index.ts';

/** The transaction of stores, which may have more stores than those of the core. */
export type TransactionOf<S> = S extends {
  readonly transaction: (work: (tx: infer Tx) => unknown) => unknown;
}
  ? Tx
  : never;

const STORES: readonly string[] = [
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
export function autocommit<S extends Stores>(stores: S): TransactionOf<S> {
  const store = (name: string) =>
    new Proxy<object>(Reflect.get(stores, name) as object, {
      get: (reader, method) =>
        WRITES.has(method)
          ? (...values: unknown[]) =>
              stores.transaction((tx) => {
                const writer = Reflect.get(tx, name);
                return Reflect.get(writer, method).apply(writer, values);
              })
          : Reflect.get(reader, method).bind(reader),
    });
  return Object.fromEntries(STORES.map((name) => [name, store(name)])) as TransactionOf<S>;
}
