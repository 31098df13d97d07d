import { ANY_CALLER, alsoAccepting, MANAGE_APPS, READS_LAB } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  IdParams,
  InstantSchema,
  NullableText,
  namedObject,
  orNull,
  Type,
  UserRefSchema,
  UuidSchema,
} from './common.ts';

/** Schema of an app in the library. `size` is in bytes, `sha256` in hexadecimal (contract 2). */
const LibraryApp = namedObject('App', {
  id: UuidSchema,
  name: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  sha256: Type.String({ description: 'In hexadecimal.' }),
  createdAt: InstantSchema,
});

const NullableUser = orNull(UserRefSchema);

/** Schema of who uploaded an app and which sessions used it. `id` is the id of the app. */
const AppUse = namedObject('AppUse', {
  id: UuidSchema,
  uploadedBy: NullableUser,
  sessions: Type.Array(
    Type.Object({ id: Type.String(), name: NullableText, startedAt: InstantSchema, owner: NullableUser }),
  ),
});

const TAG: RouteTag = { name: 'Apps', description: 'The app library.' };

export const appRoutes = feature(TAG, {
  listApps: route.get('/apps', {
    access: ANY_CALLER,
    summary: 'Apps of the library, newest first',
    responses: { 200: Type.Array(LibraryApp) },
  }),
  listAppUses: route.get('/apps/uses', {
    access: READS_LAB,
    summary: 'Who uploaded each app, and the newest sessions that used it',
    description:
      'At most five sessions of each app, newest first, from the newest 500 sessions that the caller may see. `uploadedBy` is null if the account no longer exists, or if the app was uploaded before version 2.18.',
    responses: { 200: Type.Array(AppUse) },
  }),
  uploadApp: route.post('/apps', {
    access: MANAGE_APPS,
    summary: 'Add an app to the library',
    description:
      'The body has one file in the field `file`. Sessions refer to the app as `appium:app: "svc:app/<id>"`.',
    file: 'file',
    responses: { 201: LibraryApp },
    errors: ['app_library_full', 'too_many_uploads', 'disk_full'],
  }),
  deleteApp: route.delete('/apps/:id', {
    access: MANAGE_APPS,
    summary: 'Remove an app from the library',
    params: IdParams,
    responses: { 204: null },
  }),
  downloadApp: route.get('/apps/:id/download', {
    access: alsoAccepting(ANY_CALLER, { by: 'ticket', audience: 'svc-app-download', resource: 'id' }),
    summary: 'The file of an app, with a ticket or any credential',
    params: IdParams,
    query: Type.Object({
      ticket: Type.Optional(
        Type.String({
          description: 'A download ticket, valid once and for 10 minutes (specification 5.8.2).',
        }),
      ),
    }),
    responses: { 200: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }), 304: null },
    produces: ['application/octet-stream'],
  }),
});
