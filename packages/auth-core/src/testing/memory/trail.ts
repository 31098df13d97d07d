import { createHash } from 'node:crypto';
import type { AuditEvent, AuditRow, AuditStore, SettingStore, SpentStore } from '../../ports.ts';
import type { Rows } from './journal.ts';
import { type Tables, textOrder } from './tables.ts';

const GENESIS = '0'.repeat(64);

export function memoryAudit({ audit }: Tables): AuditStore {
  return {
    append: (event, at) => {
      const rows = audit.all();
      const previousHash = rows.at(-1)?.hash ?? GENESIS;
      const kept = readable(event);
      const row = { id: rows.length + 1, at, ...kept, hash: chainHash(previousHash, at, kept), previousHash };
      audit.set(String(row.id), row);
    },
    page: (before, limit) =>
      newestFirst(audit)
        .filter(({ id }) => before === null || id < before)
        .slice(0, limit),
    firstBroken: () => {
      let previousHash = GENESIS;
      for (const row of newestFirst(audit).reverse()) {
        if (row.previousHash !== previousHash || row.hash !== chainHash(previousHash, row.at, row))
          return row.id;
        previousHash = row.hash;
      }
      return null;
    },
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

function chainHash(previousHash: string, at: number, event: AuditEvent): string {
  const { outcome, actor, target, address, requestId, reason } = event;
  const row = [previousHash, at, event.event, outcome, actor, target, address, requestId, reason];
  return createHash('sha256').update(JSON.stringify(row)).digest('hex');
}

/** Half a surrogate pair cannot be kept as UTF-8. */
function readable(event: AuditEvent): AuditEvent {
  const text = <T extends string | null>(value: T) =>
    (value?.replace(/\p{Surrogate}/gu, '\u{fffd}') ?? null) as T;
  return {
    event: text(event.event),
    outcome: event.outcome,
    actor: text(event.actor),
    target: text(event.target),
    address: text(event.address),
    requestId: text(event.requestId),
    reason: text(event.reason),
  };
}
