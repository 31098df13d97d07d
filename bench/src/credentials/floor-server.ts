import { routes } from '@svc/contract';
import Fastify from 'fastify';
import { argument, ready } from '../child.ts';

/** An answer of the service, to be given without asking anything. */
export interface Recorded {
  readonly body: Record<string, unknown>;
  readonly headers: Readonly<Record<string, string>>;
}

const { body, headers } = argument<Recorded>();
const names = Object.entries(headers);

// The same framework, the same response schema, as many headers of the same size.
const app = Fastify({ logger: false });
app.get(
  '/svc/api/auth/me',
  { schema: { response: { 200: routes.me.responses[200] } } },
  (_request, reply) => {
    for (const [name, value] of names) reply.header(name, value);
    reply.send(body);
  },
);
const url = await app.listen({ port: 0, host: '127.0.0.1' });

ready(url, {}, () => app.close());
