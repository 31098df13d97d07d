import { ANY_CALLER } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { Type } from './common.ts';

export const forwardAuthRoutes = {
  verify: defineRoute({
    method: 'GET',
    path: '/auth/verify',
    access: ANY_CALLER,
    uncounted: true,
    summary: 'Whether a proxy may pass on the request that the headers name',
    responses: { 200: Type.Object({ ok: Type.Literal(true) }) },
  }),
};
