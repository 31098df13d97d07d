import { ADMIN } from '../access.ts';
import { route } from '../define-route.ts';
import { feature } from '../feature.ts';
import { ACCESS_TAG } from './command-auth.ts';
import { literals, NullableText, named, namedObject, ScopeSchema, Type } from './common.ts';

const Scopes = Type.Array(ScopeSchema);

const MatrixRow = namedObject('AccessMatrixRow', {
  method: Type.String(),
  path: Type.String(),
  access: named('AccessType', literals(['public', 'ticket', 'caller'])),
  role: NullableText,
  scope: NullableText,
  credentials: Type.Array(Type.String()),
  category: named('RateCategory', literals(['read', 'change', 'ai'])),
  originCheck: Type.Boolean(),
  allowed: Type.Object({ Member: Scopes, Admin: Scopes, 'Super admin': Scopes }),
});

export const accessMatrixRoutes = feature(ACCESS_TAG, {
  accessMatrix: route.get('/access-matrix', {
    access: ADMIN,
    summary: 'What every route requires, and which roles with which scopes may use it',
    responses: { 200: Type.Object({ routes: Type.Array(MatrixRow) }) },
  }),
});
