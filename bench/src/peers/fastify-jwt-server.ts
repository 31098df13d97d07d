import { generateKeyPairSync } from 'node:crypto';
import jwt from '@fastify/jwt';
import Fastify from 'fastify';
import { argument, ready } from '../child.ts';
import type { Headers } from '../load.ts';
import { PEOPLE, People } from './people.ts';

export interface FastifyJwtInput {
  /** Whether the library caches verified tokens. */
  readonly cache: boolean;
}

export interface FastifyJwtFacts {
  readonly bearers: Headers[];
}

/** Signed tokens of @fastify/jwt with the same algorithm; the account is looked up in SQLite. */
const people = new People();
const { privateKey, publicKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const app = Fastify({ logger: false });
await app.register(jwt, {
  secret: { private: privateKey, public: publicKey },
  sign: { algorithm: 'ES256', expiresIn: '1h' },
  verify: { algorithms: ['ES256'], cache: argument<FastifyJwtInput>().cache ? 2 * PEOPLE : false },
});
app.get('/me', async (request, reply) => {
  const { sub } = await request.jwtVerify<{ sub: string }>();
  const person = people.byId(sub);
  return person === undefined ? reply.code(401).send() : person;
});
const url = await app.listen({ port: 0, host: '127.0.0.1' });
const bearers = people.tokens.map((_, index) => ({
  authorization: `Bearer ${app.jwt.sign({ sub: `user-${index}` })}`,
}));

ready(url, { bearers } satisfies FastifyJwtFacts, async () => {
  await app.close();
  people.close();
});
