import { isGroup } from '../../credentials/bearer-group.ts';
import { emailKey } from '../../email-address.ts';
import { Conflict } from '../../errors.ts';
import { firstNoticeAt, nextNoticeAt } from '../../policy/token-notices.ts';
import type {
  ApiToken,
  ApiTokenStore,
  ResetLinkStore,
  Revocation,
  RevocationStore,
  SignIn,
  SignInStore,
} from '../../ports/index.ts';
import type { Journal, Rows } from './journal.ts';
import { type Hashed, hasText, newestFirst, type Tables, textOrder, withoutHash } from './tables.ts';

export function memoryApiTokens(tables: Tables, journal: Journal): ApiTokenStore {
  const { apiTokens } = tables;
  const listed = (rows: Hashed<ApiToken>[]) =>
    rows.sort(newestFirst).flatMap((row) => withoutHash<ApiToken>(row) ?? []);
  const profileTokensOf = (owner: string) =>
    apiTokens.all().filter(({ ownerId, kind }) => ownerId === owner && kind === 'profile');
  const setNextNotice = (id: string, at: number | null) =>
    tables.nextNotices.set(id, at ?? Number.POSITIVE_INFINITY);
  const revoke = (id: string) => {
    tables.signIns.deleteWhere((signIn) => signIn.apiTokenId === id);
    return apiTokens.delete(id);
  };
  return {
    byHash: (hash) => withoutHash<ApiToken>(apiTokens.find((row) => row.hash === hash)),
    byId: (id) => withoutHash<ApiToken>(apiTokens.get(id)),
    listOf: (ownerId) => listed(apiTokens.all().filter((row) => row.ownerId === ownerId)),
    listAll: () => listed(apiTokens.all()),
    page: ({ now, search = '', kind, before, limit }) => {
      const ownerKey = ({ ownerId }: ApiToken) => emailKey(tables.accounts.get(ownerId)?.email ?? '');
      const rows = apiTokens
        .all()
        .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
        .filter((row) => kind === undefined || row.kind === kind)
        .filter((row) => hasText(row.name, search) || ownerKey(row).includes(emailKey(search)))
        .filter((row) => before === undefined || newestFirst(row, before) > 0);
      return listed(rows).slice(0, limit);
    },
    insert: (token, hash) => {
      if (!tables.accounts.has(token.ownerId))
        throw new Conflict('the record that this belongs to no longer exists');
      if (token.teamId !== null && !tables.teams.has(token.teamId))
        throw new Conflict('the team no longer exists');
      insertHashed(apiTokens, token, hash);
      setNextNotice(token.id, nextNoticeAt(token.expiresAt, token.createdAt));
    },
    setNextNotice,
    withNoticeDue: (now, most) =>
      listed(
        apiTokens.all().filter(({ id, expiresAt }) => {
          const at = tables.nextNotices.get(id) ?? firstNoticeAt(expiresAt);
          return at !== null && at <= now;
        }),
      ).slice(0, most),
    revoke,
    setRateLimit: (id, rateLimit) => {
      const row = apiTokens.get(id);
      if (row !== undefined) apiTokens.set(id, { ...row, rateLimit });
      return row !== undefined;
    },
    countLiveProfileTokens: (ownerId, now) =>
      profileTokensOf(ownerId).filter(({ expiresAt }) => expiresAt === null || expiresAt > now).length,
    removeExpiredProfileTokens: (ownerId, now, keep) => {
      const expired = profileTokensOf(ownerId).filter(
        ({ expiresAt }) => expiresAt !== null && expiresAt <= now,
      );
      expired.sort((one, other) => (other.expiresAt ?? 0) - (one.expiresAt ?? 0));
      for (const { id } of expired.slice(keep)) revoke(id);
    },
    countOfTeam: (teamId) => apiTokens.all().filter((row) => row.teamId === teamId).length,
    touch: (id, at) => {
      const row = apiTokens.get(id);
      if (row === undefined) return;
      const used = { ...row, lastUsedAt: Math.max(row.lastUsedAt ?? at, at) };
      journal.alone(() => apiTokens.set(id, used));
    },
  };
}

export function memorySignIns(tables: Tables, journal: Journal): SignInStore {
  const { signIns } = tables;
  return {
    byHash: (hash) => withoutHash<SignIn>(signIns.find((row) => row.hash === hash)),
    byId: (id) => withoutHash<SignIn>(signIns.get(id)),
    listOf: (accountId) =>
      signIns
        .all()
        .filter((row) => row.accountId === accountId)
        .sort(newestFirst)
        .flatMap((row) => withoutHash<SignIn>(row) ?? []),
    insert: (signIn, hash) => {
      const token = signIn.apiTokenId;
      if (!tables.accounts.has(signIn.accountId) || (token !== null && !tables.apiTokens.has(token))) {
        throw new Conflict('the record that this belongs to no longer exists');
      }
      insertHashed(signIns, signIn, hash);
    },
    extend: (id, lastSeenAt, expiresAt) => {
      const row = signIns.get(id);
      if (row !== undefined) journal.alone(() => signIns.set(id, { ...row, lastSeenAt, expiresAt }));
    },
    prove: (id, provenAt) => {
      const row = signIns.get(id);
      if (row !== undefined) signIns.set(id, { ...row, provenAt });
    },
    end: (id) => signIns.delete(id),
    endAllOf: (accountId, exceptId) =>
      signIns.deleteWhere((row) => row.accountId === accountId && row.id !== exceptId),
    removeExpired: (now) => {
      signIns.deleteWhere((row) => row.expiresAt <= now);
    },
  };
}

export function memoryRevocations({ revocations }: Tables): RevocationStore {
  const isOf = (row: Revocation, accountId: string) => row.accountId === accountId && !isGroup(row.id);
  return {
    find: (id) => {
      const row = revocations.get(id);
      return row === undefined ? undefined : { cascades: row.cascades };
    },
    all: () => [...revocations.all()].sort((one, other) => textOrder(one.id, other.id)),
    countOf: (accountId) => {
      const rows = revocations.all().filter((row) => isOf(row, accountId));
      const tokens = rows.filter(({ sourceId }) => sourceId !== null).length;
      return { tokens, credentials: rows.length - tokens };
    },
    add: (row) => {
      if (row.cascades)
        revocations.deleteWhere((old) => old.accountId === row.accountId && old.sourceId === row.id);
      const old = revocations.get(row.id) ?? row;
      revocations.set(row.id, {
        ...old,
        cascades: old.cascades || row.cascades,
        expiresAt: Math.max(old.expiresAt, row.expiresAt),
      });
    },
    replaceAllOf: (group, replaced) => {
      revocations.deleteWhere(
        (row) => isOf(row, group.accountId) && (replaced === 'all' || row.sourceId !== null),
      );
      revocations.set(group.id, group);
    },
    removeExpired: (now) => {
      revocations.deleteWhere((row) => row.expiresAt <= now);
    },
  };
}

export function memoryResetLinks({ accounts, resetLinks }: Tables): ResetLinkStore {
  return {
    byHash: (hash) => withoutHash(resetLinks.find((row) => row.hash === hash)),
    insert: (link, hash) => {
      if (!accounts.has(link.accountId))
        throw new Conflict('the record that this belongs to no longer exists');
      insertHashed(resetLinks, link, hash);
    },
    cancelAllOf: (accountId) => {
      resetLinks.deleteWhere((row) => row.accountId === accountId);
    },
    removeExpired: (now) => {
      resetLinks.deleteWhere((row) => row.expiresAt <= now);
    },
  };
}

function insertHashed<V extends { readonly id: string }>(rows: Rows<Hashed<V>>, row: V, hash: string): void {
  if (rows.has(row.id) || rows.find((other) => other.hash === hash) !== undefined) {
    throw new Conflict('a value that must be unique is already used');
  }
  rows.set(row.id, { ...row, hash });
}
