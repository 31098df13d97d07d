import { CHAIN_START, chainHash, firstBrokenRow, keptEvent } from '../../audit-chain.ts';
import type { AuditRow, AuditStore, SettingStore, SpentStore } from '../../ports.ts';
import type { Rows } from './journal.ts';
import { type Tables, textOrder } from './tables.ts';

export function memoryAudit({ audit }: Tables): AuditStore {
  return {
    append: (event, at) => {
      const rows = audit.all();
      const previousHash = rows.at(-1)?.hash ?? CHAIN_START;
      const kept = keptEvent(event);
      const row = { id: rows.length + 1, at, ...kept, hash: chainHash(previousHash, at, kept), previousHash };
      audit.set(String(row.id), row);
    },
    page: (before, limit) =>
      newestFirst(audit)
        .filter(({ id }) => before === null || id < before)
        .slice(0, limit),
    firstBroken: () => firstBrokenRow(newestFirst(audit).reverse()),
  };
}

export function memorySpent({ spent }: Tables): SpentStore {
  return {
    spend: (id, expiresAt) => {
      if (spent.has(id)) return false;
      spent.set(id, expiresAt);
      return true;
    },
    isSpent: (id) => spent.has(id),
    removeExpired: (now) => {
      spent.deleteWhere((expiresAt) => expiresAt <= now);
    },
  };
}

export function memorySettings({ settings }: Tables): SettingStore {
  return {
    all: () => new Map(settings.entries().sort(([a], [b]) => textOrder(a, b))),
    save: (values) => {
      for (const [key, value] of values) {
        if (value === undefined) settings.delete(key);
        else settings.set(key, JSON.parse(JSON.stringify(value)));
      }
    },
  };
}

function newestFirst(audit: Rows<AuditRow>): AuditRow[] {
  return audit.all().sort((a, b) => b.id - a.id);
}
