import { ANY_CALLER, ANY_CALLER_OR_TICKET, KEEPS_APPS } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { IdParams, InstantSchema, Type } from './common.ts';

/** An app of the library. `size` in bytes, `sha256` in hex (contract 2). */
const LibraryApp = Type.Object({
  id: Type.String(),
  name: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
  createdAt: InstantSchema,
});

export const appRoutes = {
  listApps: defineRoute({
    method: 'GET',
    path: '/apps',
    access: ANY_CALLER,
    summary: 'Apps of the library, newest first',
    responses: { 200: Type.Array(LibraryApp) },
  }),
  uploadApp: defineRoute({
    method: 'POST',
    path: '/apps',
    access: KEEPS_APPS,
    summary: 'Add an app to the library',
    file: 'file',
    responses: { 201: LibraryApp },
  }),
  deleteApp: defineRoute({
    method: 'DELETE',
    path: '/apps/:id',
    access: KEEPS_APPS,
    summary: 'Remove an app from the library',
    params: IdParams,
    responses: { 204: null },
  }),
  downloadApp: defineRoute({
    method: 'GET',
    path: '/apps/:id/download',
    access: ANY_CALLER_OR_TICKET,
    summary: 'The file of an app, with a ticket or any credential',
    params: IdParams,
    query: Type.Object({ ticket: Type.Optional(Type.String()) }),
    responses: { 200: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }) },
  }),
};
