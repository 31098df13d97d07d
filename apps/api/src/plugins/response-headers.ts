import { HEADERS } from '@svc/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { SendError } from './errors.ts';

/**
 * Adds `Cache-Control: no-store` and the request id to each response. Refuses requests that arrive while the server
 * stops, because the database is about to be closed.
 */
export function addResponseHeaders(scope: FastifyInstance, send: SendError): void {
  let isClosing = false;
  scope.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  scope.addHook('onRequest', (request, reply, done) => {
    setResponseHeaders(reply, request.id);
    if (isClosing) send(reply, 'unavailable');
    else done();
  });
}

/** Adds `Cache-Control: no-store` and the request id to a response (contract 1, 10). */
export function setResponseHeaders(reply: FastifyReply, id: string): void {
  reply.header('cache-control', 'no-store');
  reply.header(HEADERS.requestId, id);
}
