import { AuditChain, type ChainMarks, headOf, type NumberedRow } from '../../audit-chain.ts';
import { Conflict } from '../../errors.ts';
import type { AuditFilter, AuditRow, AuditStore, ReplayStore, SettingStore } from '../../ports/index.ts';
import type { Journal } from './journal.ts';
import { type Tables, textOrder } from './tables.ts';

/** Key of the audit chain in tests. It is fixed, so that tests can contain the hashes of rows. */
export const TEST_AUDIT_KEY = 'a0'.repeat(32);

export function memoryAudit({ audit, auditMarks }: Tables, journal: Journal): AuditStore {
  const chain = new AuditChain(Buffer.from(TEST_AUDIT_KEY, 'hex'));
  const marks = (): ChainMarks => ({ head: auditMarks.get('head'), anchor: auditMarks.get('anchor') });
  const oldestFirst = () => audit.all().map(withoutNumber);
  return {
    append: (...entries) => {
      let last = chain.end(auditMarks.get('head'), audit.all().at(-1)?.number ?? 0);
      for (const entry of entries) {
        const row = chain.after(last, entry);
        if (audit.has(row.id)) throw new Conflict('audit.id');
        journal.uncounted(() => {
          audit.set(row.id, row);
          auditMarks.set('head', chain.seal('head', row));
        });
        last = row;
      }
    },
    removeBefore: (time, most) => {
      const oldest = audit.all().slice(0, most);
      const kept = oldest.findIndex(({ at }) => at >= time);
      const old = kept === -1 ? oldest : oldest.slice(0, kept);
      const last = old.at(-1);
      if (last === undefined) return { count: 0, problem: null };
      const { problem } = chain.walk(old, marks());
      journal.uncounted(() => {
        for (const { id } of old) audit.delete(id);
        auditMarks.set('anchor', chain.seal('anchor', last));
      });
      return { count: old.length, problem };
    },
    has: (id) => audit.has(id),
    page: (before, limit) => {
      const rows = oldestFirst();
      const end = before === null ? rows.length : rows.findIndex(({ id }) => id === before);
      return rows.slice(0, Math.max(0, end)).reverse().slice(0, limit);
    },
    search: ({ filter, before, limit, scan }) => {
      const all = oldestFirst();
      const end =
        before === null
          ? all.length
          : Math.max(
              0,
              all.findIndex(({ id }) => id === before),
            );
      const seen = all.slice(Math.max(0, end - scan), end).reverse();
      const rows = seen.filter((row) => fits(row, filter)).slice(0, limit);
      const last = rows.length < limit ? seen.at(-1) : rows.at(-1);
      return { rows, next: last === undefined || last.id === all[0]?.id ? null : last.id };
    },
    head: () => headOf(marks()),
    oldestFirst,
    check: () => chain.check(audit.all(), marks(), headOf(marks()).count),
    // biome-ignore lint/correctness/useYield: one step checks all rows.
    checkInSteps: function* () {
      return chain.check(audit.all(), marks(), headOf(marks()).count);
    },
    pastSignIns: (ofEach) => {
      const addresses = new Map<string, Set<string>>();
      return oldestFirst()
        .reverse()
        .flatMap(({ event, actor, address }) => {
          if (event !== 'authn_login_success' || actor === null || address === null) return [];
          const known = addresses.get(actor) ?? new Set();
          if (known.has(address) || known.size >= ofEach) return [];
          addresses.set(actor, known.add(address));
          return [{ accountId: actor, address }];
        });
    },
  };
}

function fits({ actor, event, at }: AuditRow, filter: AuditFilter): boolean {
  const { from = at, to = at + 1 } = filter;
  return (filter.actor ?? actor) === actor && (filter.event ?? event) === event && at >= from && at < to;
}

function withoutNumber({ number: _, ...row }: NumberedRow): AuditRow {
  return row;
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
