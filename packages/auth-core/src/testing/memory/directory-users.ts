import type { DirectoryUserStore } from '../../ports/index.ts';
import { oldestFirst, type Tables } from './tables.ts';

export function memoryDirectoryUsers({ accounts, directoryUsers }: Tables): DirectoryUserStore {
  const shown = () =>
    accounts
      .all()
      .filter(({ id, status }) => status === 'Active' || directoryUsers.get(id)?.isDeleted !== true)
      .sort(oldestFirst)
      .map(({ id }) => id);
  return {
    entryOf: (accountId) => directoryUsers.get(accountId),
    byExternalId: (externalId, limit) =>
      shown()
        .filter((id) => directoryUsers.get(id)?.externalId === externalId)
        .slice(0, limit),
    page: (offset, limit) => shown().slice(offset, offset + limit),
    count: () => shown().length,
    save: (accountId, entry) => directoryUsers.set(accountId, entry),
  };
}
