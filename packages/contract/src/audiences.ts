/** Audiences a caller may ask a bearer token for (specification 2, Bearer token). */
export const BEARER_AUDIENCES = ['svc-rest', 'svc-mcp'] as const;
export type BearerAudience = (typeof BEARER_AUDIENCES)[number];

/** Every audience one signing key serves, with the `typ` header that must come with it (contract 4). */
export const TOKEN_TYPES = {
  'svc-rest': 'at+jwt',
  'svc-mcp': 'at+jwt',
  'svc-session': 'session+jwt',
  'svc-stream': 'ticket+jwt',
  'svc-app-download': 'ticket+jwt',
  'svc-events': 'ticket+jwt',
  'svc-node': 'hub+jwt',
  'svc-node-create': 'hub+jwt',
  'svc-node-control': 'hub+jwt',
} as const;
export type Audience = keyof typeof TOKEN_TYPES;

export function isBearerAudience(value: unknown): value is BearerAudience {
  return (BEARER_AUDIENCES as readonly unknown[]).includes(value);
}
