import { Conflict } from '../../errors.ts';
import type { Identity, IdentityStore, ProviderSignInRecord } from '../../ports/index.ts';
import { oldestFirst, type Tables } from './tables.ts';

export function memoryIdentities({
  accounts,
  identities,
  providerSignIns,
  signIns,
  unconfirmedEmails,
}: Tables): IdentityStore {
  const live = (row: Identity | ProviderSignInRecord) => accounts.has(row.accountId);
  const listed = (passes: (row: Identity) => boolean) =>
    identities
      .all()
      .filter((row) => live(row) && passes(row))
      .sort(oldestFirst);
  return {
    isEmailUnconfirmed: (id) => accounts.has(id) && unconfirmedEmails.has(id),
    setEmailUnconfirmed: (id, isUnconfirmed) =>
      isUnconfirmed ? unconfirmedEmails.set(id, true) : void unconfirmedEmails.delete(id),
    bySubject: (issuer, subject) => listed((row) => row.issuer === issuer && row.subject === subject)[0],
    listOf: (accountId) => listed((row) => row.accountId === accountId),
    listAll: () => listed(() => true),
    signInsOf: ({ issuer, sid, subject }) =>
      providerSignIns
        .all()
        .filter(live)
        .filter((row) => row.issuer === issuer && (sid === null || row.sid === sid))
        .filter((row) => subject === null || row.subject === subject)
        .map(({ endedAt: _, ...row }) => row)
        .sort((one, other) => (one.signInId < other.signInId ? -1 : 1)),
    insert: (identity) => {
      const isTaken = listed((row) => row.issuer === identity.issuer && row.subject === identity.subject);
      if (!accounts.has(identity.accountId) || isTaken.length > 0)
        throw new Conflict('a value that must be unique is already used');
      identities.set(identity.id, identity);
    },
    noteSignIn: (id, lastSignInAt) => {
      const row = identities.get(id);
      if (row !== undefined) identities.set(id, { ...row, lastSignInAt });
    },
    remove: (id) => void identities.delete(id),
    attachSignIn: (signIn) => providerSignIns.set(signIn.signInId, { ...signIn, endedAt: null }),
    detachSignIn: (signInId) => void providerSignIns.delete(signInId),
    removeEnded: (now, keepMs) => {
      for (const row of providerSignIns.all()) {
        if (row.endedAt === null && !signIns.has(row.signInId))
          providerSignIns.set(row.signInId, { ...row, endedAt: now });
      }
      providerSignIns.deleteWhere((row) => row.endedAt !== null && row.endedAt <= now - keepMs);
    },
  };
}
