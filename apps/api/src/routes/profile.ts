import { scopeList } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { instant } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the routes for the caller's own access key and tokens (specification 2 and 5.2, contract 2). */
export function profileRoutes(api: App, { services: { accessKeys, apiTokens } }: HttpContext): void {
  handle(api, routes.accessKey, ({ caller }) => ({ accessKey: caller.account.accessKey }));

  handle(api, routes.rotateAccessKey, ({ caller }) => ({ accessKey: accessKeys.rotate(caller) }));

  handle(api, routes.listTokens, ({ caller }) =>
    apiTokens.listOwn(caller).map((token) => ({
      id: token.id,
      name: token.name,
      scopes: scopeList(token.scopes),
      createdAt: instant(token.createdAt),
      lastUsedAt: instant(token.lastUsedAt),
      unusedSince: instant(token.unusedSince),
      expiresAt: instant(token.expiresAt),
      expired: token.expired,
    })),
  );

  handle(api, routes.createToken, ({ caller, body }) => {
    const { token, secret } = apiTokens.createProfileToken(caller, body);
    return {
      id: token.id,
      name: token.name,
      scopes: scopeList(token.scopes),
      token: secret,
      expiresAt: instant(token.expiresAt),
    };
  });

  handle(
    api,
    routes.revokeToken,
    ({ caller, params, query }) =>
      apiTokens.revokeOwn(caller, params.id, { cascade: query.cascade === 'true' }),
    { authorizeResource: (caller, { id }) => apiTokens.checkOwn(caller, id) },
  );
}
