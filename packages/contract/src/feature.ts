import type { Route } from './define-route.ts';

/** Group of routes in the OpenAPI document. Generated clients name their modules after it. */
export interface RouteTag {
  readonly name: string;
  readonly description: string;
}

/** A route with its tag. Every route has exactly one tag: the one that is passed to `feature` with the route. */
export type TaggedRoute = Route & { readonly tag: RouteTag };

type Tagged<Routes> = { [Name in keyof Routes]: Routes[Name] & { readonly tag: RouteTag } };

/** @returns the routes, each with the tag added */
export function feature<const Routes extends Readonly<Record<string, Route>>>(
  tag: RouteTag,
  routes: Routes,
): Tagged<Routes> {
  return Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [name, { ...route, tag }]),
  ) as unknown as Tagged<Routes>;
}
