import { ROOM_PREFIXES, type RoomRoute, roomRoutes, WELL_KNOWN } from '@svc/contract';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Definition of a route outside `/svc/api`. The server does not start if a route of a room lacks this definition.
     */
    room?: RoomRoute;
  }
}

const PREFIXES = Object.values(ROOM_PREFIXES);
const DOCUMENTS: ReadonlySet<string> = new Set(Object.values(WELL_KNOWN));

/**
 * @returns whether an address belongs to a room: it equals a room's prefix, is below one, or is a document of this
 * server
 */
function isInRoom(url: string): boolean {
  return DOCUMENTS.has(url) || PREFIXES.some((prefix) => url === prefix || url.startsWith(`${prefix}/`));
}

/**
 * Collects every route of the rooms. Throws, so that the server does not start, if a route has no definition in the
 * contract package: the guard reads the access rules from that definition.
 */
export function collectRooms(app: FastifyInstance): ReadonlySet<RoomRoute> {
  const served = new Set<RoomRoute>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (!isInRoom(url)) return;
    if (config?.room === undefined) throw new Error(`${method} ${url} declares no access`);
    served.add(config.room);
  });
  return served;
}

/** Throws, so that the server does not start, if a route of a room has no handler. */
export function checkRooms(served: ReadonlySet<RoomRoute>): void {
  for (const route of Object.values<RoomRoute>(roomRoutes)) {
    if (!served.has(route)) throw new Error(`${route.method} ${route.path} has no handler`);
  }
}
