import { routes } from '@svc/contract';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { schemaOf } from '../src/http/handle.ts';
import { AJV, lazySchemas } from '../src/plugins/lazy-schemas.ts';

/**
 * Registers routes with the schemas as the app does, but with another handler. Schemas are compiled immediately unless
 * `lazily` is set.
 */
async function ready(schemas: readonly object[], { lazily = false } = {}) {
  const options = lazily ? { schemaController: { compilersFactory: lazySchemas() } } : {};
  const app = Fastify({ ...options, ajv: AJV });
  for (const [at, schema] of schemas.entries()) {
    const params = Object.keys((schema as { params?: { properties: object } }).params?.properties ?? {});
    const url = `/${at}${params.map((name) => `/:${name}`).join('')}`;
    app.route({ method: 'POST', url, schema, handler: async ({ body }) => body });
  }
  await app.ready();
  return app;
}

const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

describe('lazy schemas', () => {
  it('every schema of every route can be compiled', async () => {
    await ready(Object.values(routes).map(schemaOf));
  });

  it.each([
    ['a body', { body: { type: 'strnig' } }],
    ['an answer', { response: { 200: { type: 'object', properties: 'none' } } }],
  ])('%s that cannot is told by the test above', async (_what, schema) => {
    await expect(ready([schema])).rejects.toThrow();
    await expect(ready([schema], { lazily: true })).resolves.toBeDefined();
  });

  it.each([false, true])('a body is checked and an answer cut to its schema (lazily: %s)', async (lazily) => {
    const app = await ready([{ body: TEXT, response: { 200: TEXT } }], { lazily });
    const send = async (body: object) => {
      const answer = await app.inject({ method: 'POST', url: '/0', payload: body });
      return { status: answer.statusCode, body: answer.json() };
    };
    for (let round = 0; round < 2; round += 1) {
      expect(await send({ text: 'a', more: 1 })).toEqual({ status: 200, body: { text: 'a' } });
      const refused = await send({ text: 1 });
      expect(refused).toMatchObject({ status: 400, body: { message: 'body/text must be string' } });
      expect((await send({})).body.message).toBe("body must have required property 'text'");
    }
  });
});
