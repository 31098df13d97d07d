import type { OwnedTrustRule } from '@svc/accounts';
import { scopeList } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { instant } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the routes for trust rules, which let CI jobs sign in with the tokens of their issuer (contract 10.3). */
export function trustRuleRoutes(api: App, { services: { trustRules, workloadTokens } }: HttpContext): void {
  const authorizeResource = (
    ...[caller, { id }]: [Parameters<typeof trustRules.checkReach>[0], { id: string }]
  ) => trustRules.checkReach(caller, id);

  handle(api, routes.listTrustRules, ({ caller }) => trustRules.list(caller).map(describeRule));

  handle(api, routes.createTrustRule, ({ caller, body }) => describeRule(trustRules.create(caller, body)));

  handle(api, routes.testTrustRules, ({ caller, body }) => workloadTokens.try(caller, body.token));

  handle(
    api,
    routes.changeTrustRule,
    ({ caller, params, body }) => describeRule(trustRules.change(caller, params.id, body)),
    { authorizeResource },
  );

  handle(api, routes.deleteTrustRule, ({ caller, params }) => trustRules.remove(caller, params.id), {
    authorizeResource,
  });
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
