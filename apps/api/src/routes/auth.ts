import {
  ANY_CALLER,
  actorOf,
  type Caller,
  credentialOf,
  issueBearer,
  PUBLIC,
  scopeList,
} from '@svc/auth-core';
import { JwksResponse, MeResponse, TokenBody, TokenResponse } from '@svc/contract';
import type { App, HttpContext } from '../http-context.ts';
import { instant } from '../wire.ts';

/** Who am I, bearer tokens, and the key set they are verified with (specification 4, 5.3). */
export function authRoutes(api: App, { services }: HttpContext): void {
  const { config, keyRing, audit } = services;

  api.get(
    '/auth/jwks.json',
    { config: { access: PUBLIC }, schema: { response: { 200: JwksResponse } } },
    async () => ({
      keys: keyRing.publicKeys(),
    }),
  );

  api.get(
    '/auth/me',
    { config: { access: ANY_CALLER }, schema: { response: { 200: MeResponse } } },
    (request, reply) => {
      reply.send(describe(request.caller, config.authDisabled));
    },
  );

  api.post(
    '/auth/token',
    { config: { access: ANY_CALLER }, schema: { body: TokenBody, response: { 200: TokenResponse } } },
    async (request) => {
      const { id, ...issued } = await issueBearer(request.caller, request.body, {
        ...services,
        mcpLifetime: config.mcpTokenTtl,
      });
      services.stores.transaction((tx) =>
        audit.record(tx, 'authn_token_created', {
          ...actorOf(request.caller),
          target: id,
          reason: `${issued.audience}, made with ${credentialOf(request.caller)}`,
        }),
      );
      return issued as typeof issued & { scopes: never[] };
    },
  );
}

function describe({ account, credential, scopes, expiresAt }: Caller, authDisabled: boolean) {
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    role: account.role,
    status: account.status,
    accessKey: account.accessKey,
    scopes: scopeList(scopes),
    teams: account.teams as { id: string; name: string }[],
    kind: credential.kind as 'key',
    expiresAt: instant(expiresAt),
    authDisabled,
    passwordChangeRequired: account.temporaryPasswordUntil !== null || account.defaultPassword,
  };
}
