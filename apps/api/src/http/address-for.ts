import type { FastifyRequest } from 'fastify';
import type { HttpContext } from './http-context.ts';

/**
 * Pattern of a plain host and port. A `Host` header is used only if it matches, because the header becomes part of an
 * address that is shown to a person.
 */
export const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * @returns the public address of the server, or the address that the request was sent to if none is configured.
 * Undefined if the `Host` header is not usable.
 */
export function addressFor(
  request: FastifyRequest,
  { services, clients }: Pick<HttpContext, 'services' | 'clients'>,
): string | undefined {
  const { publicUrl } = services.config;
  if (publicUrl !== null) return publicUrl;
  const { host = '' } = request.headers;
  const address = `${clients.isHttps(request.raw) ? 'https' : 'http'}://${host}`;
  return HOST.test(host) && URL.canParse(address) ? new URL(address).origin : undefined;
}
