import { headerText } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import type { FastifyRequest } from 'fastify';
import type { Services } from '../services/services.ts';

/** At a node: what came as a token of its hub; it decides alone then. Undefined: none, or this server has no hub. */
export function hubTokenOf(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { node }: Pick<Services, 'node'>,
): string | undefined {
  return node === null ? undefined : headerText(headers[HEADERS.hubToken]);
}
