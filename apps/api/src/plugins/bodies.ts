import { Refusal } from '@svc/auth-core';
import { excessOf, jsonSizeOf } from '@svc/module';
import type { FastifyInstance, preParsingHookHandler, preValidationHookHandler } from 'fastify';
import { isReading } from '../http/route-table.ts';

/** Maximum size of a JSON body in bytes (contract 1). */
export const BODY_LIMIT = 1024 * 1024;

/**
 * Accepts only uncompressed JSON bodies in UTF-8. A missing body counts as `{}`, so that the validation names the
 * required fields.
 * @param types media types of JSON that the routes of this scope accept
 */
export function parseBodies(app: FastifyInstance, types: string[] = ['application/json']): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(types, { parseAs: 'buffer' }, (request, body, done) => {
    const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
    if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw new Refusal('unsupported_media_type');
    if (body.length === 0) return done(null, undefined);
    const excess = excessOf(jsonSizeOf(body as Buffer));
    if (excess !== null) throw new Refusal('bad_request', excess, { message: `the body has ${excess}` });
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer);
    } catch {
      throw new Refusal('bad_request', 'body is not UTF-8');
    }
    parseJson(request, text, done);
  });
  // Routes that only read have no body, so they need no hook for bodies.
  app.addHook('onRoute', (route) => {
    if (isReading(route.method)) return;
    route.preParsing = [refuseCompressed, absentHasNoType, ...[route.preParsing ?? []].flat()];
    route.preValidation = [absentIsEmpty, ...[route.preValidation ?? []].flat()];
  });
}

/** Lets the routes of this scope accept a multipart body, which their handlers read as a stream. */
export function takeFiles(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^multipart\/form-data(?:\s*;|$)/i, (_request, _body, done) => done(null));
}

/** Lets the routes of this scope respond without reading the body. */
export function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
}

const refuseCompressed: preParsingHookHandler = (request, _reply, _payload, done) => {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new Refusal('unsupported_media_type');
  done();
};

/**
 * Removes the content type of an empty body. Clients such as `curl -d ''` send one even without a body, and the server
 * would refuse it as an unsupported media type.
 */
const absentHasNoType: preParsingHookHandler = ({ raw }, _reply, _payload, done) => {
  if (raw.headers['content-length'] === '0') delete raw.headers['content-type'];
  done();
};

const absentIsEmpty: preValidationHookHandler = (request, _reply, done) => {
  if (request.body === undefined) request.body = {};
  done();
};
