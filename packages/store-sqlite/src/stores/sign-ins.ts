import type { Clock, SignIn, SignInStore } from '@svc/auth-core';
import type { Caches, Extension } from '../cache/caches.ts';
import type { Connection } from '../connection/connection.ts';
import { RULE_COLUMNS, type RuleFields, ruleFields, ruleOf, scopeNames } from './rule-columns.ts';
import { nullable, orNull, Rows, required, type Table, words } from './table.ts';

/**
 * A sign-in's new expiry or last use is written to the table when it differs from the stored value by more than this
 * time (ms), or by more than `WORTH_WRITING_PART` of the sign-in's remaining lifetime.
 */
const WORTH_WRITING_MS = 60_000;
const WORTH_WRITING_PART = 0.1;

/**
 * Maximum number of sign-ins whose new expiry and last use are only in memory. If there are more, the oldest of these
 * values are written to the table early.
 */
const MAX_PENDING = 10_000;

interface StoredSignIn extends Omit<SignIn, 'rule' | 'openedWith'>, RuleFields {
  readonly hash: string;
  /** Ids of the credentials through which the sign-in was opened, or null if a person opened it. */
  readonly openedWith: readonly string[] | null;
}

/**
 * `teamId` has no foreign key: if deleting the team set the column to null, the sign-in would no longer be limited to
 * that team.
 */
export const SIGN_INS: Table<StoredSignIn> = {
  name: 'sign_ins',
  columns: {
    id: required,
    accountId: required,
    hash: required,
    createdAt: required,
    lastSeenAt: required,
    expiresAt: required,
    userAgent: nullable,
    scopes: orNull(scopeNames),
    until: nullable,
    apiTokenId: nullable,
    teamId: nullable,
    openedWith: orNull(words),
    provenAt: nullable,
    ...RULE_COLUMNS,
  },
};

function statements(connection: Connection) {
  const signIns = new Rows(connection, SIGN_INS);
  const ended = <P>(where: string) =>
    connection.prepare<P, { id: string }>(`delete from sign_ins where ${where} returning id`);
  return {
    byHash: signIns.first<{ hash: string }>('where hash = @hash'),
    byId: signIns.first(),
    listOf: signIns.all<{ accountId: string }>(
      'where account_id = @accountId order by created_at desc, id desc',
    ),
    insert: signIns.insert(),
    prove: signIns.update('provenAt'),
    extend: signIns.update('lastSeenAt', 'expiresAt'),
    end: signIns.remove(),
    endAllOf: ended<{ accountId: string; exceptId: string }>('account_id = @accountId and id <> @exceptId'),
    removeExpired: ended<{ now: number }>('expires_at <= @now'),
  };
}

export function signInRows(connection: Connection, caches: Caches, clock: Clock): SignInStore {
  const sql = statements(connection);
  const { signIns, extensions, writeBehind } = caches;
  // A literal, because copying the row takes a quarter of the time of a look-up.
  const signInOf = (row: StoredSignIn): SignIn => {
    const { lastSeenAt, expiresAt } = extensions.get(row.id) ?? row;
    return {
      id: row.id,
      accountId: row.accountId,
      createdAt: row.createdAt,
      lastSeenAt,
      expiresAt,
      userAgent: row.userAgent,
      scopes: row.scopes,
      until: row.until,
      apiTokenId: row.apiTokenId,
      teamId: row.teamId,
      provenAt: row.provenAt,
      rule: ruleOf(row),
      openedWith: row.openedWith ?? [],
    };
  };
  const remember = (row: StoredSignIn | undefined): SignIn | undefined => {
    if (row === undefined) return undefined;
    const signIn = signInOf(row);
    signIns.add(row.hash, signIn);
    return signIn;
  };
  const byId = (id: string): SignIn | undefined => {
    connection.checkForOtherWriters();
    return signIns.byId(id) ?? remember(sql.byId({ id }));
  };
  const dropped = (rows: readonly { id: string }[]): string[] => {
    for (const { id } of rows) caches.dropSignIn(id);
    return rows.map(({ id }) => id);
  };
  const writeExtensions = (most: number, all: boolean): number => {
    const everything = all || extensions.size > MAX_PENDING;
    const due = extensions.take(most, (extension) => everything || extension.due);
    for (const [id, { lastSeenAt, expiresAt }] of due) sql.extend({ id, lastSeenAt, expiresAt });
    return due.length;
  };
  writeBehind.add({ pending: extensions, write: writeExtensions });
  return {
    byHash: (hash) => {
      connection.checkForOtherWriters();
      return signIns.byKey(hash) ?? remember(sql.byHash({ hash }));
    },
    byId,
    listOf: (accountId) => sql.listOf({ accountId }).map(signInOf),
    insert: ({ rule, openedWith, ...signIn }, hash) => {
      const opened = openedWith.length === 0 ? null : openedWith;
      sql.insert({ ...signIn, ...ruleFields(rule), hash, openedWith: opened });
    },
    extend: (id, lastSeenAt, expiresAt) => {
      const signIn = signIns.byId(id) ?? byId(id);
      if (signIn === undefined) return;
      const written = extensions.get(id)?.written ?? signIn;
      const due = isWorthWriting(written, { lastSeenAt, expiresAt }, clock.now());
      extensions.set(id, { lastSeenAt, expiresAt, written, due });
      signIns.replace({ ...signIn, lastSeenAt, expiresAt });
      if (due || extensions.size > MAX_PENDING) writeBehind.schedule();
    },
    prove: (id, provenAt) => {
      sql.prove({ id, provenAt });
      // Do not call `dropSignIn` here, because it would also discard a new expiry that is not yet in the table.
      signIns.drop(id);
    },
    end: (id) => {
      const isEnded = sql.end({ id }) > 0;
      caches.dropSignIn(id);
      return isEnded;
    },
    endAllOf: (accountId, exceptId = '') => dropped(sql.endAllOf.all({ accountId, exceptId })),
    removeExpired: (now) => {
      // Write every new expiry first. Otherwise, sign-ins that are in use would be removed because of the old expiry in
      // the table.
      writeExtensions(Number.POSITIVE_INFINITY, true);
      dropped(sql.removeExpired.all({ now }));
    },
  };
}

function isWorthWriting(written: Extension['written'], next: Extension['written'], now: number): boolean {
  const worth = Math.min(WORTH_WRITING_MS, WORTH_WRITING_PART * (written.expiresAt - now));
  const moved = Math.max(
    Math.abs(next.expiresAt - written.expiresAt),
    Math.abs(next.lastSeenAt - written.lastSeenAt),
  );
  return moved > worth;
}
