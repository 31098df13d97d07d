import { CHAIN_START, chainHash, firstBrokenRow, keptEntry } from '../../audit-chain.ts';
import { Conflict } from '../../errors.ts';
import type { AuditStore, ReplayStore, SettingStore } from '../../ports.ts';
import type { Journal } from './journal.ts';
import { type Tables, textOrder } from './tables.ts';

export function memoryAudit({ audit }: Tables, journal: Journal): AuditStore {
  return {
    append: (entry) => {
      const kept = keptEntry(entry);
      if (audit.has(kept.id)) throw new Conflict('audit.id');
      const previousHash = audit.all().at(-1)?.hash ?? CHAIN_START;
      const row = { ...kept, hash: chainHash(previousHash, kept), previousHash };
      journal.uncounted(() => audit.set(kept.id, row));
    },
    has: (id) => audit.has(id),
    page: (before, limit) => {
      const oldestFirst = audit.all();
      const end = before === null ? oldestFirst.length : oldestFirst.findIndex(({ id }) => id === before);
      return oldestFirst.slice(0, Math.max(0, end)).reverse().slice(0, limit);
    },
    firstBroken: () => firstBrokenRow(audit.all()),
  };
}

export function memoryReplay({ replay }: Tables): ReplayStore {
  return {
    spend: (id, expiresAt) => {
      if (replay.has(id)) return false;
      replay.set(id, expiresAt);
      return true;
    },
    isSpent: (id) => replay.has(id),
    removeExpired: (now) => {
      replay.deleteWhere((expiresAt) => expiresAt <= now);
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
