import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import helmet from '@fastify/helmet';
import files from '@fastify/static';
import { SITE_PREFIX } from '@svc/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../http-context.ts';
import { sendError } from './errors.ts';

const FOLDER = fileURLToPath(new URL('../../pages/', import.meta.url));

/** Shells that hold no data: everything they show comes from the API (contract 1). */
const PAGES: Record<string, string> = {
  '/': 'home.html',
  [SITE_PREFIX]: 'sign-in.html',
  [`${SITE_PREFIX}/`]: 'sign-in.html',
  [`${SITE_PREFIX}/sign-in`]: 'sign-in.html',
  [`${SITE_PREFIX}/forgot-password`]: 'forgot-password.html',
  [`${SITE_PREFIX}/reset-password`]: 'reset-password.html',
};

/** Pages of the dashboard; until it is there, each says so. */
const DASHBOARD_PAGES = [
  'devices',
  'sessions',
  'profile',
  'users',
  'teams',
  'api-keys',
  'audit',
  'command-check',
  'settings',
  'access',
  'api-reference',
];

/** Pages for anyone, and the answer to unknown addresses, under a policy that runs nothing but our own files. */
export async function servePages(app: App): Promise<void> {
  await app.register(async (site) => {
    await site.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'"],
          imgSrc: ["'self'"],
          connectSrc: ["'self'"],
          // Forms are sent by our scripts; a password never goes out as a navigation.
          formAction: ["'none'"],
          baseUri: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      // HSTS for the whole host is the operator's decision.
      strictTransportSecurity: false,
      frameguard: { action: 'deny' },
      referrerPolicy: { policy: 'same-origin' },
    });
    await site.register(files, {
      root: join(FOLDER, 'assets'),
      prefix: `${SITE_PREFIX}/assets/`,
      cacheControl: false,
      setHeaders: (reply) => reply.setHeader('cache-control', 'no-cache'),
    });
    for (const [path, page] of Object.entries(PAGES)) servePage(site, path, page);
    for (const name of DASHBOARD_PAGES) servePage(site, `${SITE_PREFIX}/${name}`, 'dashboard.html');
    site.setNotFoundHandler(answerUnknown());
  });
}

function servePage(site: FastifyInstance, path: string, page: string): void {
  site.get(path, { schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'no-cache').sendFile(page, FOLDER),
  );
}

/** A page for a person who looks for one, the error shape of the API for every other request. */
function answerUnknown(): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const page = readFileSync(join(FOLDER, 'not-found.html'));
  return ({ method, headers: { accept = '*/*' } }, reply) => {
    const wantsPage = (method === 'GET' || method === 'HEAD') && /text\/html|\*\/\*/.test(accept);
    if (!wantsPage) return sendError(reply, 'not_found');
    reply.code(404).header('cache-control', 'no-cache').type('text/html; charset=utf-8');
    return reply.send(page);
  };
}
