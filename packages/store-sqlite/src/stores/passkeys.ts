import type { Passkey, PasskeyStore } from '@svc/accounts';
import type { Connection } from '../connection/connection.ts';
import { flag, nullable, Rows, required, type Table, words } from './table.ts';

export const PASSKEYS: Table<Passkey> = {
  name: 'passkeys',
  columns: {
    id: required,
    accountId: required,
    credentialId: required,
    publicKey: required,
    counter: required,
    transports: words,
    aaguid: required,
    deviceType: required,
    backedUp: flag,
    name: required,
    rpId: required,
    createdAt: required,
    lastUsedAt: nullable,
  },
};

export const PASSKEY_USERS: Table<{ accountId: string; handle: string }> = {
  name: 'passkey_users',
  columns: { accountId: required, handle: required },
};

/** Passkeys are not cached, because they are read only when a person signs in with them or manages them. */
export function passkeyRows(connection: Connection): PasskeyStore {
  const passkeys = new Rows(connection, PASSKEYS);
  const users = new Rows(connection, PASSKEY_USERS);
  const byCredential = passkeys.first<{ credentialId: string }>('where credential_id = @credentialId');
  const byId = passkeys.first();
  const listOf = passkeys.all<{ accountId: string }>(
    'where account_id = @accountId order by created_at desc, id desc',
  );
  const user = users.first<{ accountId: string }>('where account_id = @accountId');
  const saveHandle = users.insert();
  const insert = passkeys.insert();
  const rename = passkeys.update('name');
  const noteUse = passkeys.update('counter', 'backedUp', 'lastUsedAt');
  const remove = passkeys.remove();
  return {
    byCredential: (credentialId) => byCredential({ credentialId }),
    byId: (id) => byId({ id }),
    listOf: (accountId) => listOf({ accountId }),
    handleOf: (accountId) => user({ accountId })?.handle,
    saveHandle: (accountId, handle) => void saveHandle({ accountId, handle }),
    insert: (passkey) => void insert(passkey),
    rename: (id, name) => void rename({ id, name }),
    noteUse: (id, use) => void noteUse({ id, ...use }),
    remove: (id) => void remove({ id }),
  };
}
