import type { Identity, IdentityStore, ProviderSignInRecord } from '@svc/accounts';
import type { Connection } from '../connection/connection.ts';
import { nullable, Rows, required, type Table } from './table.ts';

export const IDENTITIES: Table<Identity> = {
  name: 'identities',
  columns: {
    id: required,
    accountId: required,
    issuer: required,
    subject: required,
    createdAt: required,
    lastSignInAt: nullable,
  },
};

/**
 * Sign-ins with a provider. `signInId` has no foreign key, because a logout at the provider must find the row even
 * after the sign-in was deleted. The column `ended_at` has the time at which a clean-up found that the sign-in no
 * longer exists.
 */
export const PROVIDER_SIGN_INS: Table<ProviderSignInRecord> = {
  name: 'provider_sign_ins',
  columns: { signInId: required, accountId: required, issuer: required, subject: required, sid: nullable },
};

export const UNCONFIRMED_EMAILS: Table<{ accountId: string }> = {
  name: 'unconfirmed_emails',
  columns: { accountId: required },
};

export function identityRows(connection: Connection): IdentityStore {
  return { ...ofEmails(connection), ...ofIdentities(connection), ...ofSignIns(connection) };
}

function ofEmails(connection: Connection) {
  const emails = new Rows(connection, UNCONFIRMED_EMAILS);
  const found = emails.first<{ accountId: string }>('where account_id = @accountId');
  const unconfirm = emails.insert('on conflict do nothing');
  const confirm = emails.remove<{ accountId: string }>('account_id = @accountId');
  return {
    isEmailUnconfirmed: (accountId: string) => found({ accountId }) !== undefined,
    setEmailUnconfirmed: (accountId: string, isUnconfirmed: boolean) =>
      void (isUnconfirmed ? unconfirm : confirm)({ accountId }),
  };
}

function ofIdentities(connection: Connection) {
  const identities = new Rows(connection, IDENTITIES);
  const bySubject = identities.first<{ issuer: string; subject: string }>(
    'where issuer = @issuer and subject = @subject',
  );
  const listOf = identities.all<{ accountId: string }>(
    'where account_id = @accountId order by created_at, id',
  );
  const listAll = identities.all('order by created_at, id');
  const insert = identities.insert();
  const noteSignIn = identities.update('lastSignInAt');
  const remove = identities.remove();
  return {
    bySubject: (issuer: string, subject: string) => bySubject({ issuer, subject }),
    listOf: (accountId: string) => listOf({ accountId }),
    listAll: () => listAll({}),
    insert: (identity: Identity) => void insert(identity),
    noteSignIn: (id: string, lastSignInAt: number) => void noteSignIn({ id, lastSignInAt }),
    remove: (id: string) => void remove({ id }),
  };
}

function ofSignIns(
  connection: Connection,
): Pick<IdentityStore, 'signInsOf' | 'attachSignIn' | 'detachSignIn' | 'removeEnded'> {
  const signIns = new Rows(connection, PROVIDER_SIGN_INS);
  const ofSession = signIns.all<{ issuer: string; sid: string; subject: string | null }>(
    'where issuer = @issuer and sid = @sid and (@subject is null or subject = @subject) order by sign_in_id',
  );
  const ofPerson = signIns.all<{ issuer: string; subject: string }>(
    'where issuer = @issuer and subject = @subject order by sign_in_id',
  );
  const attach = signIns.insert();
  const detach = signIns.remove<{ signInId: string }>('sign_in_id = @signInId');
  const noteEnds = signIns.run<{ now: number }>(`
    update provider_sign_ins set ended_at = @now
    where ended_at is null and not exists (select 1 from sign_ins where id = sign_in_id)`);
  const removeEnded = signIns.remove<{ endedBy: number }>('ended_at <= @endedBy');
  return {
    signInsOf: ({ issuer, sid, subject }) =>
      sid === null ? ofPerson({ issuer, subject }) : ofSession({ issuer, sid, subject }),
    attachSignIn: (signIn) => void attach(signIn),
    detachSignIn: (signInId) => void detach({ signInId }),
    removeEnded: (now, keepMs) => {
      noteEnds({ now });
      removeEnded({ endedBy: now - keepMs });
    },
  };
}
