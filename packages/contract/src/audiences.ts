/** Audiences for which a caller may request a bearer token (specification 2, Bearer token). */
export const BEARER_AUDIENCES = ['svc-rest', 'svc-mcp'] as const;
export type BearerAudience = (typeof BEARER_AUDIENCES)[number];

/**
 * Audiences of all JWTs that this server signs, each with the `typ` header that JWTs for this audience must have
 * (contract 4).
 */
export const TOKEN_TYPES = {
  'svc-rest': 'at+jwt',
  'svc-mcp': 'at+jwt',
  'svc-session': 'session+jwt',
  'svc-stream': 'ticket+jwt',
  'svc-adb': 'ticket+jwt',
  'svc-usb': 'ticket+jwt',
  'svc-app-download': 'ticket+jwt',
  'svc-events': 'ticket+jwt',
  'svc-node': 'hub+jwt',
  'svc-node-create': 'hub+jwt',
  'svc-node-control': 'hub+jwt',
} as const;
export type Audience = keyof typeof TOKEN_TYPES;
/** Audiences of tickets (specification 5.8). */
export type TicketAudience = {
  [Name in Audience]: (typeof TOKEN_TYPES)[Name] extends 'ticket+jwt' ? Name : never;
}[Audience];

/**
 * Actions that a hub is allowed to perform on a phone of its node besides sending commands. Each token for
 * `svc-node-control` names one of these actions.
 */
export const NODE_ACTIONS = [
  'frames',
  'video',
  'lines',
  'text',
  'clipboard',
  'tap',
  'swipe',
  'key',
  'adb',
  'usb',
  'cleaning',
] as const;
export type NodeAction = (typeof NODE_ACTIONS)[number];
/** Actions that stream what a phone shows or logs. */
export const STREAM_KINDS = ['frames', 'video', 'lines'] as const satisfies readonly NodeAction[];
export type StreamKind = (typeof STREAM_KINDS)[number];

export function isBearerAudience(value: unknown): value is BearerAudience {
  return (BEARER_AUDIENCES as readonly unknown[]).includes(value);
}
