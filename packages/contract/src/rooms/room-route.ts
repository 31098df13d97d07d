import type { Access } from '../access.ts';
import type { Category, Method } from '../define-route.ts';

/**
 * Access of a route whose room checks a credential of its own kind, such as the key of a SCIM client. The room passes
 * the check to `handleRoom`, and the server does not start without it.
 */
export const ROOM_CHECKS = 'room' as const;

/**
 * One route outside `/svc/api`, as data (contract 10). No cookie counts in these routes, and the origin check does not
 * apply to them, because a browser adds no credential to them automatically.
 */
export interface RoomRoute {
  readonly method: Method;
  /** Whole path, with `:names` for parameters. */
  readonly path: `/${string}`;
  readonly access: Access | typeof ROOM_CHECKS;
  readonly category: Category;
  /**
   * Present if the route works without a usable `SVC_PUBLIC_URL`. Every other route of a room responds with 404 then.
   */
  readonly withoutPublicUrl?: true;
  /** Present if pages of every origin may use the route. They can send no cookie with their requests. */
  readonly crossOrigin?: true;
  readonly summary: string;
}

export type RoomRouteSpec = Omit<RoomRoute, 'category'> & { readonly category?: Category };

export function defineRoomRoute(spec: RoomRouteSpec): RoomRoute {
  return { category: spec.method === 'GET' ? 'read' : 'change', ...spec };
}
