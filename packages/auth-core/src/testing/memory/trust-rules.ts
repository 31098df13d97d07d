import { Conflict } from '../../errors.ts';
import { KEPT_RUNS, type TrustRuleStore } from '../../ports/index.ts';
import type { Journal } from './journal.ts';
import { newestFirst, type Tables } from './tables.ts';

export function memoryTrustRules(tables: Tables, journal: Journal): TrustRuleStore {
  const { trustRules } = tables;
  const remove = (id: string): boolean => {
    for (const child of trustRules.all()) if (child.parentId === id) remove(child.id);
    const tokens = new Set(tables.apiTokens.deleteWhere(({ rule }) => rule?.id === id));
    tables.signIns.deleteWhere((row) => row.rule?.id === id || tokens.has(row.apiTokenId ?? ''));
    return trustRules.delete(id);
  };
  return {
    byId: (id) => trustRules.get(id),
    list: () => trustRules.all().sort(newestFirst),
    insert: (rule) => {
      if (trustRules.has(rule.id)) throw new Conflict('a value that must be unique is already used');
      const { teamId } = rule;
      if (!tables.accounts.has(rule.ownerId) || (teamId !== null && !tables.teams.has(teamId)))
        throw new Conflict('the record that this belongs to no longer exists');
      trustRules.set(rule.id, rule);
    },
    update: (id, change) => {
      const rule = trustRules.get(id);
      if (rule !== undefined) trustRules.set(id, { ...rule, ...change });
    },
    noteRun: (id, run) => {
      const rule = trustRules.get(id);
      if (rule === undefined) return;
      const runs = [run, ...rule.runs].slice(0, KEPT_RUNS);
      journal.uncounted(() => trustRules.set(id, { ...rule, runs, lastUsedAt: run.at }));
    },
    remove,
  };
}
