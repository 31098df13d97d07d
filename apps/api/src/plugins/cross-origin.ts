import cors from '@fastify/cors';
import { HEADERS, PROOF_HEADERS_OF_PAGES, SENSITIVE_HEADERS } from '@svc/contract';
import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../http/http-context.ts';

/**
 * Answers CORS preflights and sets `Access-Control-*` for the origins in `SVC_ALLOWED_ORIGINS` only (specification
 * 5.6.3). If no origin is configured, the plugin is not registered, so requests have no extra cost.
 */
export async function answerPreflights(api: FastifyInstance, { services }: HttpContext): Promise<void> {
  const { allowedOrigins } = services.config;
  if (allowedOrigins.isEmpty) return;
  await api.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && allowedOrigins.lists(origin)),
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'content-type',
      ...PROOF_HEADERS_OF_PAGES,
      HEADERS.requestId,
      ...Object.values(SENSITIVE_HEADERS),
    ],
    exposedHeaders: [
      HEADERS.requestId,
      HEADERS.rateCategory,
      HEADERS.rateRemaining,
      HEADERS.rateCapacity,
      HEADERS.rateLimit,
      HEADERS.ratePolicy,
      'retry-after',
    ],
    maxAge: 600,
    hideOptionsRoute: true,
    // An `OPTIONS` request that is not a preflight gets the API's error response and not the text of @fastify/cors.
    strictPreflight: false,
  });
}
