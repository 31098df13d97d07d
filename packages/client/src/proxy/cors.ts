import type { IncomingMessage, ServerResponse } from 'node:http';
import { endToEnd } from '@svc/outbound/forward';

/** Headers with which a browser lets a page of another origin read a response. Empty for every other request. */
export type CorsHeaders = readonly (readonly [string, string])[];

const PREFLIGHT_SECONDS = '600';
const HEADER_NAMES = /^[\w-]+(?:\s*,\s*[\w-]+){0,31}$/;

/** @returns the headers for a page whose origin was allowed by name */
export function corsHeaders(
  { headers: { origin } }: IncomingMessage,
  allowed: readonly string[],
): CorsHeaders {
  if (origin === undefined || !allowed.includes(origin)) return [];
  return [
    ['access-control-allow-origin', origin],
    ['vary', 'origin'],
  ];
}

/** Returns whether a browser asks with this request, before another one, what the page may send. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Lets the page send every WebDriver command, with the headers that it asks for. */
export function answerPreflight(request: IncomingMessage, response: ServerResponse, cors: CorsHeaders): void {
  const wanted = request.headers['access-control-request-headers'] ?? '';
  response.writeHead(
    204,
    [
      ...cors,
      ['access-control-allow-methods', 'GET, POST, DELETE'],
      ['access-control-max-age', PREFLIGHT_SECONDS],
      ...(HEADER_NAMES.test(wanted) ? [['access-control-allow-headers', wanted]] : []),
    ].flat(),
  );
  response.end();
}

/** @returns the header pairs of a response; those about other origins are the proxy's own if the page has another origin */
export function pairsOf(answer: IncomingMessage, cors: CorsHeaders): (readonly [string, string])[] {
  const pairs = endToEnd(answer);
  if (cors.length === 0) return pairs;
  return [...pairs.filter(([name]) => !name.toLowerCase().startsWith('access-control-')), ...cors];
}
