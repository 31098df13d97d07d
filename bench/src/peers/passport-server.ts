import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import passport from 'passport';
import { Strategy } from 'passport-http-bearer';
import { ready } from '../child.ts';
import type { Headers } from '../load.ts';
import { People } from './people.ts';

export interface PassportFacts {
  readonly bearers: Headers[];
}

/** Opaque tokens with Express and passport-http-bearer, looked up by their hash in SQLite. */
const people = new People();
passport.use(new Strategy((token, done) => done(null, people.byToken(token) ?? false)));
const app = express();
app.disable('x-powered-by');
app.get('/me', passport.authenticate('bearer', { session: false }), (request, response) => {
  response.json(request.user);
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const bearers = people.tokens.map((token) => ({ authorization: `Bearer ${token}` }));

ready(`http://127.0.0.1:${port}`, { bearers } satisfies PassportFacts, async () => {
  server.close();
  server.closeAllConnections();
  people.close();
});
