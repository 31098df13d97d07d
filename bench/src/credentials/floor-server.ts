import { readFileSync } from 'node:fs';
import { routes } from '@svc/contract';
import Fastify from 'fastify';
import { argument, ready } from '../child.ts';

/** Recorded responses of the service, which this server sends without checking anything. */
export interface Recorded {
  /**
   * The body of each caller's response. A single body would stay in the processor's cache, which does not happen under
   * real load.
   */
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  readonly headers: Readonly<Record<string, string>>;
}

/** The argument of this server. The recording itself is too long for a command line. */
export interface RecordedFile {
  readonly file: string;
}

const { bodies, headers }: Recorded = JSON.parse(readFileSync(argument<RecordedFile>().file, 'utf8'));
const names = Object.entries(headers);

// The same framework, the same response schema, and headers of the same number and size as those of the service.
const app = Fastify({ logger: false });
app.get(
  '/svc/api/auth/me',
  { schema: { response: { 200: routes.me.responses[200] } } },
  (_request, reply) => {
    for (const [name, value] of names) reply.header(name, value);
    reply.send(bodies[Math.floor(Math.random() * bodies.length)]);
  },
);
const url = await app.listen({ port: 0, host: '127.0.0.1' });

ready(url, {}, () => app.close());
