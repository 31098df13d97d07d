import cookie from '@fastify/cookie';
import session, { type SessionStore } from '@fastify/session';
import Fastify from 'fastify';
import { ready } from '../child.ts';
import type { Headers } from '../load.ts';
import { PEOPLE, People } from './people.ts';

declare module 'fastify' {
  interface Session {
    userId?: string;
  }
}

export interface FastifySessionFacts {
  readonly cookies: Headers[];
}

/** Cookies of @fastify/session, with the sessions and accounts in SQLite. */
const people = new People();
people.database.exec('create table sessions (id text primary key, content text)');
const put = people.database.prepare('insert or replace into sessions values (?, ?)');
const find = people.database.prepare<[string], string>('select content from sessions where id = ?').pluck();
const remove = people.database.prepare('delete from sessions where id = ?');

const store: SessionStore = {
  set: (id, content, done) => {
    put.run(id, JSON.stringify(content));
    done();
  },
  get: (id, done) => {
    const content = find.get(id);
    done(null, content === undefined ? null : JSON.parse(content));
  },
  destroy: (id, done) => {
    remove.run(id);
    done();
  },
};

const app = Fastify({ logger: false });
await app.register(cookie);
await app.register(session, {
  secret: 'a secret only this bench knows, and no longer than it runs',
  cookie: { secure: false, maxAge: 3_600_000 },
  saveUninitialized: false,
  rolling: false,
  store,
});
app.post('/sign-in/:id', async (request) => {
  request.session.userId = (request.params as { id: string }).id;
  return { ok: true };
});
app.get('/me', async (request, reply) => {
  const { userId } = request.session;
  const person = userId === undefined ? undefined : people.byId(userId);
  return person === undefined ? reply.code(401).send() : person;
});
const url = await app.listen({ port: 0, host: '127.0.0.1' });
const cookies: Headers[] = [];
for (let index = 0; index < PEOPLE; index++) {
  const { cookies: set } = await app.inject({ method: 'POST', url: `/sign-in/user-${index}` });
  const [{ name, value }] = set as [{ name: string; value: string }];
  cookies.push({ cookie: `${name}=${encodeURIComponent(value)}` });
}

ready(url, { cookies } satisfies FastifySessionFacts, async () => {
  await app.close();
  people.close();
});
