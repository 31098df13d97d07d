import { ANY_CALLER } from '../access.ts';
import { route } from '../define-route.ts';
import { feature } from '../feature.ts';
import { TOKENS_TAG } from './auth.ts';
import { Type } from './common.ts';

export const forwardAuthRoutes = feature(TOKENS_TAG, {
  verify: route.get('/auth/verify', {
    access: ANY_CALLER,
    uncounted: true,
    operationId: 'verifyForwarded',
    summary: 'Whether a proxy may forward the request that the headers describe',
    description:
      'For nginx `auth_request`, Traefik ForwardAuth and Envoy `ext_authz`. All headers that are present must describe the same request. The response names the caller in `X-Svc-User` and `X-Svc-Role`.',
    headers: Type.Object({
      'X-Original-URI': Type.Optional(
        Type.String({ description: 'Path and query of the request to forward.' }),
      ),
      'X-Original-URL': Type.Optional(
        Type.String({ description: 'URL of the request to forward, including scheme and host.' }),
      ),
      'X-Original-Method': Type.Optional(Type.String({ description: 'Method of the request to forward.' })),
      'X-Forwarded-Uri': Type.Optional(Type.String({ description: "Traefik's name for `X-Original-URI`." })),
      'X-Forwarded-Method': Type.Optional(
        Type.String({ description: "Traefik's name for `X-Original-Method`." }),
      ),
    }),
    responses: { 200: Type.Object({ ok: Type.Literal(true) }) },
    errors: [
      'CSRF: Origin or Referer header required',
      'CSRF: invalid Origin/Referer',
      'CSRF: Origin/Referer mismatch',
      'insufficient_scope',
      'not_your_session',
      'invalid_target',
    ],
  }),
});
