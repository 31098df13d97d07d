import type { Passkey, PasskeyStore } from '@svc/accounts';
import type { Connection } from '../connection/connection.ts';
import type { PasskeyRow } from '../schema/rows/credentials.ts';

/**
 * Stores passkeys. They are not cached, because they are read only when a person signs in with them or manages them.
 */
export class PasskeyRows implements PasskeyStore {
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#statements = statements(connection);
  }

  byCredential(credentialId: string): Passkey | undefined {
    return passkeyOf(this.#statements.byCredential.get({ credentialId }));
  }

  byId(id: string): Passkey | undefined {
    return passkeyOf(this.#statements.byId.get({ id }));
  }

  listOf(accountId: string): Passkey[] {
    return this.#statements.listOf.all({ accountId }).flatMap((row) => passkeyOf(row) ?? []);
  }

  handleOf(accountId: string): string | undefined {
    return this.#statements.handleOf.get({ accountId })?.handle;
  }

  saveHandle(accountId: string, handle: string): void {
    this.#statements.saveHandle.run({ accountId, handle });
  }

  insert({ transports, backedUp, ...rest }: Passkey): void {
    const row = { ...rest, transports: transports.join(' '), backedUp: Number(backedUp) };
    this.#statements.insert.run(row);
  }

  rename(id: string, name: string): void {
    this.#statements.rename.run({ id, name });
  }

  noteUse(id: string, { counter, backedUp, lastUsedAt }: Parameters<PasskeyStore['noteUse']>[1]): void {
    this.#statements.noteUse.run({ id, counter, backedUp: Number(backedUp), lastUsedAt });
  }

  remove(id: string): void {
    this.#statements.remove.run({ id });
  }
}

function passkeyOf(row: PasskeyRow | undefined): Passkey | undefined {
  if (row === undefined) return undefined;
  return {
    id: row.id,
    accountId: row.account_id,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: row.counter,
    transports: row.transports.split(' ').filter((transport) => transport !== ''),
    aaguid: row.aaguid,
    deviceType: row.device_type,
    backedUp: row.backed_up === 1,
    name: row.name,
    rpId: row.rp_id,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

type Inserted = Omit<Passkey, 'transports' | 'backedUp'> & { transports: string; backedUp: number };
type Used = { id: string; counter: number; backedUp: number; lastUsedAt: number };

function statements(connection: Connection) {
  return {
    byCredential: connection.prepare<{ credentialId: string }, PasskeyRow>(
      'select * from passkeys where credential_id = @credentialId',
    ),
    byId: connection.prepare<{ id: string }, PasskeyRow>('select * from passkeys where id = @id'),
    listOf: connection.prepare<{ accountId: string }, PasskeyRow>(
      'select * from passkeys where account_id = @accountId order by created_at desc, id desc',
    ),
    handleOf: connection.prepare<{ accountId: string }, { handle: string }>(
      'select handle from passkey_users where account_id = @accountId',
    ),
    saveHandle: connection.prepare<{ accountId: string; handle: string }, never>(
      'insert into passkey_users (account_id, handle) values (@accountId, @handle)',
    ),
    insert: connection.prepare<Inserted, never>(`
      insert into passkeys (
        id, account_id, credential_id, public_key, counter, transports, aaguid,
        device_type, backed_up, name, rp_id, created_at, last_used_at
      ) values (
        @id, @accountId, @credentialId, @publicKey, @counter, @transports, @aaguid,
        @deviceType, @backedUp, @name, @rpId, @createdAt, @lastUsedAt
      )`),
    rename: connection.prepare<{ id: string; name: string }, never>(
      'update passkeys set name = @name where id = @id',
    ),
    noteUse: connection.prepare<Used, never>(
      'update passkeys set counter = @counter, backed_up = @backedUp, last_used_at = @lastUsedAt where id = @id',
    ),
    remove: connection.prepare<{ id: string }, never>('delete from passkeys where id = @id'),
  };
}
