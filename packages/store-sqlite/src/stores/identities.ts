import type { Identity, IdentityStore, ProviderSignInQuery, ProviderSignInRecord } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';

const IDENTITY = `select id, account_id as accountId, issuer, subject, created_at as createdAt,
  last_sign_in_at as lastSignInAt from identities`;
const SIGN_IN = `select sign_in_id as signInId, account_id as accountId, issuer, subject, sid
  from provider_sign_ins`;

export class IdentityRows implements IdentityStore {
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#statements = statements(connection);
  }

  isEmailUnconfirmed(accountId: string): boolean {
    return this.#statements.isUnconfirmed.get({ accountId }) !== undefined;
  }

  setEmailUnconfirmed(accountId: string, isUnconfirmed: boolean): void {
    const { unconfirm, confirm } = this.#statements;
    (isUnconfirmed ? unconfirm : confirm).run({ accountId });
  }

  bySubject(issuer: string, subject: string): Identity | undefined {
    return this.#statements.bySubject.get({ issuer, subject });
  }

  listOf(accountId: string): Identity[] {
    return this.#statements.listOf.all({ accountId });
  }

  listAll(): Identity[] {
    return this.#statements.listAll.all({});
  }

  signInsOf(query: ProviderSignInQuery): ProviderSignInRecord[] {
    const { issuer, sid, subject } = query;
    return sid === null
      ? this.#statements.signInsOfPerson.all({ issuer, subject })
      : this.#statements.signInsOfSession.all({ issuer, sid, subject });
  }

  insert(identity: Identity): void {
    this.#statements.insert.run({ ...identity });
  }

  noteSignIn(id: string, lastSignInAt: number): void {
    this.#statements.noteSignIn.run({ id, lastSignInAt });
  }

  remove(id: string): void {
    this.#statements.remove.run({ id });
  }

  attachSignIn(signIn: ProviderSignInRecord): void {
    this.#statements.attach.run({ ...signIn });
  }

  detachSignIn(signInId: string): void {
    this.#statements.detach.run({ signInId });
  }

  removeEnded(now: number, keepMs: number): void {
    this.#statements.noteEnds.run({ now });
    this.#statements.removeEnded.run({ endedBy: now - keepMs });
  }
}

function statements(connection: Connection) {
  return { ...ofIdentities(connection), ...ofSignIns(connection) };
}

function ofIdentities(connection: Connection) {
  return {
    isUnconfirmed: connection.prepare<{ accountId: string }, { account_id: string }>(
      'select account_id from unconfirmed_emails where account_id = @accountId',
    ),
    unconfirm: connection.prepare<{ accountId: string }, never>(
      'insert into unconfirmed_emails (account_id) values (@accountId) on conflict do nothing',
    ),
    confirm: connection.prepare<{ accountId: string }, never>(
      'delete from unconfirmed_emails where account_id = @accountId',
    ),
    bySubject: connection.prepare<{ issuer: string; subject: string }, Identity>(
      `${IDENTITY} where issuer = @issuer and subject = @subject`,
    ),
    listOf: connection.prepare<{ accountId: string }, Identity>(
      `${IDENTITY} where account_id = @accountId order by created_at, id`,
    ),
    listAll: connection.prepare<NoParams, Identity>(`${IDENTITY} order by created_at, id`),
    insert: connection.prepare<Identity, never>(`
      insert into identities (id, account_id, issuer, subject, created_at, last_sign_in_at)
      values (@id, @accountId, @issuer, @subject, @createdAt, @lastSignInAt)`),
    noteSignIn: connection.prepare<{ id: string; lastSignInAt: number }, never>(
      'update identities set last_sign_in_at = @lastSignInAt where id = @id',
    ),
    remove: connection.prepare<{ id: string }, never>('delete from identities where id = @id'),
  };
}

function ofSignIns(connection: Connection) {
  return {
    signInsOfSession: connection.prepare<
      { issuer: string; sid: string; subject: string | null },
      ProviderSignInRecord
    >(`${SIGN_IN}
      where issuer = @issuer and sid = @sid and (@subject is null or subject = @subject) order by sign_in_id`),
    signInsOfPerson: connection.prepare<{ issuer: string; subject: string }, ProviderSignInRecord>(
      `${SIGN_IN} where issuer = @issuer and subject = @subject order by sign_in_id`,
    ),
    attach: connection.prepare<ProviderSignInRecord, never>(`
      insert into provider_sign_ins (sign_in_id, account_id, issuer, subject, sid)
      values (@signInId, @accountId, @issuer, @subject, @sid)`),
    detach: connection.prepare<{ signInId: string }, never>(
      'delete from provider_sign_ins where sign_in_id = @signInId',
    ),
    noteEnds: connection.prepare<{ now: number }, never>(`
      update provider_sign_ins set ended_at = @now
      where ended_at is null and not exists (select 1 from sign_ins where id = sign_in_id)`),
    removeEnded: connection.prepare<{ endedBy: number }, never>(
      'delete from provider_sign_ins where ended_at <= @endedBy',
    ),
  };
}
