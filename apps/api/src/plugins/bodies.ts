import { excessOf, jsonSizeOf, Refusal } from '@svc/auth-core';
import type { FastifyInstance, preParsingHookHandler, preValidationHookHandler } from 'fastify';
import { isReading } from '../http/route-table.ts';

/** Bytes a JSON body may have (contract 1). */
export const BODY_LIMIT = 1024 * 1024;

/**
 * JSON in UTF-8, not compressed, and nothing else. An absent body counts as `{}`; where fields are required the
 * schema refuses that by name.
 */
export function parseBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
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
  // A route that only reads has no body, so it gets no hook for one.
  app.addHook('onRoute', (route) => {
    if (isReading(route.method)) return;
    route.preParsing = [refuseCompressed, absentHasNoType, ...[route.preParsing ?? []].flat()];
    route.preValidation = [absentIsEmpty, ...[route.preValidation ?? []].flat()];
  });
}

/** Routes of this scope take a multipart body instead, which their handler reads from the request as it streams in. */
export function takeFiles(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^multipart\/form-data(?:\s*;|$)/i, (_request, _body, done) => done(null));
}

/** Routes of this scope are answered without a look at their body, whatever it is. */
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

/** `curl -d ''` and others name a type for nothing. */
const absentHasNoType: preParsingHookHandler = ({ raw }, _reply, _payload, done) => {
  if (raw.headers['content-length'] === '0') delete raw.headers['content-type'];
  done();
};

const absentIsEmpty: preValidationHookHandler = (request, _reply, done) => {
  if (request.body === undefined) request.body = {};
  done();
};
