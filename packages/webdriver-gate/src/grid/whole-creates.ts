import type { IncomingMessage } from 'node:http';
import { type Clock, failureLines, type Log } from '@svc/auth-core';
import { type ConnectionPool, causeOf, streamedBody } from '@svc/outbound';
import type { Upstream } from '../forward.ts';
import { forwardedHeaders, isForClient } from '../remote/headers.ts';
import type { RemotePlace } from '../remote/place.ts';
import { Relay } from '../remote/relay.ts';
import { requestIdOf } from '../request-origin.ts';
import { GateResponses, notCreated } from '../responses.ts';

interface WholeCreateOptions {
  readonly url: string;
  readonly pool: () => ConnectionPool;
  /** Of both servers. */
  readonly basePath: string;
  /** The client's address as the service counts it. */
  readonly addressOf: (req: IncomingMessage) => string;
  /** Whether the client reached this server by TLS. */
  readonly isHttps: (req: IncomingMessage) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Hands creates on to the first entrance as they came: it alone can record whose a session is. Their credentials are in
 * the body, which it reads; those of the headers decide nothing on a create and end here.
 */
export function wholeCreates(options: WholeCreateOptions): Upstream['request'] {
  const { basePath, addressOf, isHttps, clock, log } = options;
  const responses = new GateResponses(false);
  const failures = failureLines(log, clock);
  const placeOf = (pool: ConnectionPool): RemotePlace => ({
    name: 'the first entrance',
    url: options.url,
    connection: {},
    pool,
    credentials: () => ({}),
    passes: isForClient,
    answered: () => undefined,
  });
  return (req, res) => {
    const failed = (error: unknown): void => {
      if (res.destroyed) return;
      failures.write(addressOf(req), 'A session create was not answered by the first entrance', {
        cause: causeOf(error),
      });
      if (res.headersSent) res.destroy();
      else responses.error(req, res, notCreated('the first entrance did not answer', 503), requestIdOf(req));
    };
    // Addresses of sockets in its answer are to be those of this server.
    const headers = {
      ...forwardedHeaders(req.headers, {}),
      host: req.headers.host ?? '',
      'x-forwarded-for': addressOf(req),
      'x-forwarded-proto': isHttps(req) ? 'https' : 'http',
    };
    try {
      const pool = options.pool();
      const place = placeOf(pool);
      pool.dispatch(
        { method: 'POST', path: `${basePath}/session`, headers, body: streamedBody(req) },
        new Relay({ req, res, id: null, place, failed }),
      );
    } catch (error) {
      failed(error);
    }
  };
}
