import { type Caller, scopeList } from '@svc/auth-core';
import { type Handlers, instant } from '@svc/module';
import type { ExchangeToken } from './exchange-token.ts';
import type { OwnedTrustRule, TrustRules } from './trust-rules.ts';

/** Handlers of trust rules, which let CI jobs sign in with the tokens of their issuer (contract 10.3). */
export function trustRuleHandlers(trustRules: TrustRules, workloadTokens: ExchangeToken): Handlers {
  const authorize = (caller: Caller, { id }: { id: string }) => trustRules.checkReach(caller, id);
  return {
    listTrustRules: ({ caller }) => trustRules.list(caller).map(describeRule),

    createTrustRule: ({ caller, body }) => describeRule(trustRules.create(caller, body)),

    testTrustRules: ({ caller, body }) => workloadTokens.try(caller, body.token),

    changeTrustRule: {
      authorize,
      answer: ({ caller, params, body }) => describeRule(trustRules.change(caller, params.id, body)),
    },

    deleteTrustRule: { authorize, answer: ({ caller, params }) => trustRules.remove(caller, params.id) },
  };
}

function describeRule({ scopes, createdAt, lastUsedAt, expiresAt, runs, ...rule }: OwnedTrustRule) {
  return {
    ...rule,
    scopes: scopeList(scopes),
    createdAt: instant(createdAt),
    lastUsedAt: instant(lastUsedAt),
    expiresAt: instant(expiresAt),
    runs: runs.map(({ at, ...run }) => ({ ...run, at: instant(at) })),
  };
}
