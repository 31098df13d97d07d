import { actorOf, type Caller, mayActOn, Refusal, refuseAgents } from '@svc/auth-core';
import type { AccountTools } from '../ports/tools.ts';
import type { TrustRule } from '../ports/trust-rules.ts';
import { checkRuleName, checkTrustRule, type NewTrustRule } from './trust-rule.ts';

/** Maximum number of trust rules, because the server keeps all of them in memory. */
const MOST_RULES = 200;

/**
 * A trust rule (rule that lets CI jobs sign in with their issuer's token), its owner, and the audience that the
 * issuer's tokens must have. The audience is the one in the rule, or else the server's public URL.
 */
export interface OwnedTrustRule extends TrustRule {
  readonly owner: { readonly id: string; readonly email: string };
}

interface Tools extends Pick<AccountTools, 'stores' | 'clock' | 'random' | 'audit'> {
  /** Public URL of the server, or null if none is set. It is the audience of rules that name no audience. */
  readonly publicUrl: string | null;
}

/**
 * Lists, creates, changes and deletes trust rules, which let CI jobs sign in with their issuer's token (contract 10.3).
 */
export class TrustRules {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  list(_caller: Caller): OwnedTrustRule[] {
    return this.#tools.stores.trustRules.list().map((rule) => this.#owned(rule));
  }

  /**
   * Creates a rule whose owner is the caller. The rule expires no later than a token that the caller could create with
   * the same credential.
   */
  create(caller: Caller, input: NewTrustRule): OwnedTrustRule {
    refuseAgents(caller);
    const { stores, clock, random, audit } = this.#tools;
    const checked = checkTrustRule(input, caller, (id) => stores.teams.byId(id) !== undefined);
    const rule: TrustRule = {
      ...checked,
      id: random.uuid(),
      ownerId: caller.account.id,
      paused: false,
      createdAt: clock.now(),
      lastUsedAt: null,
      expiresAt: caller.grantsUntil,
      parentId: caller.credential.rule?.id ?? null,
      runs: [],
    };
    stores.transaction((tx) => {
      if (tx.trustRules.list().length >= MOST_RULES)
        throw new Refusal('too_many_rules', 'too many trust rules', { limit: MOST_RULES });
      tx.trustRules.insert(rule);
      const reason = `trust rule ${rule.name} created for ${rule.issuer}`;
      audit.record(tx, 'authz_admin', { ...actorOf(caller), target: rule.id, reason });
    });
    return this.#owned(rule);
  }

  change(
    caller: Caller,
    id: string,
    change: { readonly name?: string | undefined; readonly paused?: boolean | undefined },
  ): OwnedTrustRule {
    const { stores, audit } = this.#tools;
    const name = change.name === undefined ? undefined : checkRuleName(change.name);
    stores.transaction((tx) => {
      const { paused, ...rule } = this.#reachable(caller, id);
      tx.trustRules.update(id, { name: name ?? rule.name, paused: change.paused ?? paused });
      const verb =
        change.paused === undefined || change.paused === paused ? 'renamed' : paused ? 'resumed' : 'paused';
      const reason = `trust rule ${name ?? rule.name} ${verb}`;
      audit.record(tx, 'authz_admin', { ...actorOf(caller), target: id, reason });
    });
    return this.#owned(stores.trustRules.byId(id) as TrustRule);
  }

  remove(caller: Caller, id: string): void {
    const { stores, audit } = this.#tools;
    stores.transaction((tx) => {
      const { name } = this.#reachable(caller, id);
      tx.trustRules.remove(id);
      audit.record(tx, 'authz_admin', {
        ...actorOf(caller),
        target: id,
        reason: `trust rule ${name} deleted`,
      });
    });
  }

  /**
   * Throws a refusal if the rule is unknown, or if its owner is an account that the caller is not allowed to change.
   */
  checkReach(caller: Caller, id: string): void {
    this.#reachable(caller, id);
  }

  #reachable(caller: Caller, id: string): TrustRule {
    const { stores } = this.#tools;
    const rule = stores.trustRules.byId(id);
    const owner = rule === undefined ? undefined : stores.accounts.byId(rule.ownerId);
    if (rule === undefined || owner === undefined) throw new Refusal('not_found');
    if (!mayActOn(caller, owner, { self: true })) throw new Refusal('role_exceeds_yours');
    return rule;
  }

  #owned(rule: TrustRule): OwnedTrustRule {
    const { stores, publicUrl } = this.#tools;
    const email = stores.accounts.byId(rule.ownerId)?.email ?? '';
    return { ...rule, audience: rule.audience ?? publicUrl, owner: { id: rule.ownerId, email } };
  }
}
