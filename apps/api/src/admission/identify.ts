import type { PresentedCredentials } from '@svc/auth-core';
import { type ClientFacts, LazyOrigin } from '@svc/webdriver-gate';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { basicOrHeaders, bearerAlone, PresentedByRequest, withoutCookie } from './presented.ts';

type Config = Pick<FastifyContextConfig, 'errorFormat' | 'basicClients'>;

/** Returns a function that sets the fields of a request from which the guard learns who sends it. */
export function identifier(config: Config, clients: ClientFacts): (request: FastifyRequest) => void {
  const presentedBy = readerOf(config);
  const isAgent = config.errorFormat === 'mcp';
  return (request) => {
    request.startedAt = performance.now();
    request.from = new LazyOrigin(request.raw, clients, request.id, isAgent);
    request.presented = presentedBy(request);
  };
}

function readerOf({
  errorFormat = 'api',
  basicClients,
}: Config): (request: FastifyRequest) => PresentedCredentials {
  if (basicClients) return basicOrHeaders;
  if (errorFormat === 'mcp') return bearerAlone;
  return errorFormat === 'api' ? (request) => new PresentedByRequest(request) : withoutCookie;
}
