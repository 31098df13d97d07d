import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import files from '@fastify/static';
import type { Log } from '@svc/auth-core';
import { SITE_PREFIX } from '@svc/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../http/http-context.ts';
import { DASHBOARD } from '../runtime/resources.ts';
import { sendError } from './errors.ts';

/** Pages that are not served at `/svc/<name>`. */
const ELSEWHERE: ReadonlySet<string> = new Set(['index', 'home', 'not-found']);

/** Files named after their content never change; the others are asked about each time. */
const FOREVER = 'public, max-age=31536000, immutable';

/** Pages for anyone, and the answer to unknown addresses, under a policy that runs nothing but our own files. */
export async function servePages(app: App, log: Log): Promise<void> {
  const isBuilt = existsSync(join(DASHBOARD, 'index.html'));
  if (!isBuilt)
    log.error(`The dashboard is not built: ${DASHBOARD} is missing. \`npx -y pnpm@10 build\` builds it.`);
  await app.register(async (site) => {
    await site.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'"],
          imgSrc: ["'self'", 'blob:'],
          // Of live events, previews and logs too: 'self' covers WebSockets of the same host.
          connectSrc: ["'self'"],
          // Forms are sent by our scripts; a password never goes out as a navigation.
          formAction: ["'none'"],
          baseUri: ["'none'"],
          frameAncestors: ["'none'"],
          // No text ever becomes markup or a script: no policy may be made that would let it.
          requireTrustedTypesFor: ["'script'"],
          trustedTypes: ["'none'"],
        },
      },
      // HSTS for the whole host is the operator's decision.
      strictTransportSecurity: false,
      frameguard: { action: 'deny' },
      referrerPolicy: { policy: 'same-origin' },
    });
    if (isBuilt) {
      await serveFolder(site, 'assets', FOREVER);
      await serveFolder(site, 'static', 'no-cache');
      for (const name of builtPages()) servePage(site, `${SITE_PREFIX}/${name}`, pageAt(`${name}.html`));
      servePage(site, `${SITE_PREFIX}/`, pageAt('index.html'));
      servePage(site, SITE_PREFIX, pageAt('index.html', '.'));
      servePage(site, '/', pageAt('home.html', '.'));
    }
    site.setNotFoundHandler(answerUnknown(isBuilt ? pageAt('not-found.html', '') : NOT_BUILT));
  });
}

/**
 * @returns the names of the pages that the build of the dashboard created. They hold no data: everything that they show
 * comes from the API (contract 1).
 */
function builtPages(): readonly string[] {
  return readdirSync(DASHBOARD)
    .filter((file) => file.endsWith('.html'))
    .map((file) => file.slice(0, -'.html'.length))
    .filter((name) => !ELSEWHERE.has(name));
}

/** In place of every page; the API goes on. */
const NOT_BUILT = Buffer.from('<!doctype html><title>Device lab</title><p>The dashboard is not built.</p>\n');

/** Relative addresses fit a page below `/svc/`; `site` is where `/svc` lies for one elsewhere. */
function pageAt(name: string, site?: '' | '.'): Buffer {
  const page = readFileSync(join(DASHBOARD, name), 'utf8');
  if (site === undefined) return Buffer.from(page);
  return Buffer.from(page.replaceAll(/(src|href)="\.\//g, `$1="${site}${SITE_PREFIX}/`));
}

async function serveFolder(site: FastifyInstance, name: string, cacheControl: string): Promise<void> {
  await site.register(files, {
    root: join(DASHBOARD, name),
    prefix: `${SITE_PREFIX}/${name}/`,
    decorateReply: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply) => {
      reply.setHeader('cache-control', cacheControl);
      reply.setHeader('vary', 'accept-encoding');
    },
  });
}

function servePage(site: FastifyInstance, path: string, page: Buffer): void {
  site.get(path, (_request, reply) => sendPage(reply, page));
}

function sendPage(reply: FastifyReply, page: Buffer): FastifyReply {
  return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page);
}

/** A page for a person who looks for one, the error shape of the API for every other request. */
function answerUnknown(page: Buffer): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return ({ method, headers: { accept = '*/*' } }, reply) => {
    const wantsPage = (method === 'GET' || method === 'HEAD') && /text\/html|\*\/\*/.test(accept);
    if (!wantsPage) return sendError(reply, 'not_found');
    return sendPage(reply.code(404), page);
  };
}
