import { API_PREFIX, ROUTE_LINES, type RouteName } from './wire.ts';

/** Parameters and query of a route's address. */
export interface AddressInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
}

/** @returns the path and query of a route's address, relative to the origin of the service */
export function addressOf(name: RouteName, { params = {}, query = {} }: AddressInput): string {
  return `${API_PREFIX}${pathOf(ROUTE_LINES[name].path, params)}${queryOf(query)}`;
}

/**
 * Replaces each `:name` of a route's path by its value, escaped so that a `/` in the value cannot add a path segment.
 */
function pathOf(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw new TypeError(`${name} is not usable in a path`);
    return encodeURIComponent(value);
  });
}

function queryOf(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = given.map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/**
 * Reads the service's address. Throws a `TypeError` unless the address consists of scheme, host and port only.
 * @returns scheme, host and port
 */
export function serviceOrigin(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const plain = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  if (url === undefined || !plain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      'The address of the service is scheme, host and port, as in https://lab.example:4723',
    );
  }
  return url.origin;
}
