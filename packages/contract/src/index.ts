// What clients and servers agree on: every route with its access, schemas and errors, and all names on the wire.
//
// `routes/` has the REST API, one file per feature, and `open-api/` derives its OpenAPI document. `protocols/` has the routes
// outside `/svc/api` for programs: OAuth, OpenID Connect, SCIM, MCP. The other files define roles, scopes, audiences, error
// codes and headers.
//
// Not here: any behaviour. Decisions are in auth-core, and handlers in apps/api.

export * from './access.ts';
export * from './audiences.ts';
export * from './define-route.ts';
export * from './device-keys.ts';
export { documentedOf } from './documented.ts';
export { emailKey, exactEmailKey, isEmailAddress } from './email-address.ts';
export { errorBody } from './error-body.ts';
export * from './errors.ts';
export * from './events.ts';
export type { RouteTag } from './feature.ts';
export { isRecord } from './is-record.ts';
export * from './loopback.ts';
export * from './names.ts';
export * from './operation-id.ts';
export { LARGEST_PICTURE, type PictureType, pictureType } from './picture-type.ts';
export * from './proofs.ts';
export * from './protocols/index.ts';
export * from './roles.ts';
export * from './route-errors.ts';
export * from './routes/index.ts';
export * from './routes/tags.ts';
export * from './scopes.ts';
export * from './webhooks.ts';
