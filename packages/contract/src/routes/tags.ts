import type { RouteTag, TaggedRoute } from '../feature.ts';
import { routes } from './index.ts';

/** Tags of the OpenAPI document, each with its routes, in the order of `routes`. */
export const ROUTE_TAGS: readonly (RouteTag & {
  readonly routes: Readonly<Record<string, TaggedRoute>>;
})[] = tagsOf(Object.entries<TaggedRoute>(routes));

function tagsOf(listed: readonly (readonly [name: string, route: TaggedRoute])[]) {
  const tags = new Set(listed.map(([, { tag }]) => tag));
  return [...tags].map((tag) => ({
    ...tag,
    routes: Object.fromEntries(listed.filter(([, route]) => route.tag === tag)),
  }));
}
