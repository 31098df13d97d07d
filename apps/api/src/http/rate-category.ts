import type { RateCategory } from '@svc/auth-core';

/** @returns whether the HTTP method changes nothing, so that the request needs no origin check */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/**
 * @returns the category of a request to a route of this category: GET, HEAD and OPTIONS only read, whatever the route
 * does
 */
export function rateCategory(method: string, ofRoute: RateCategory): RateCategory {
  return isSafe(method) ? 'read' : ofRoute;
}
