import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as otherWork } from 'node:timers/promises';
import helmet from '@fastify/helmet';
import files from '@fastify/static';
import { SITE_PREFIX } from '@svc/contract';
import type { LabLogo } from '@svc/settings';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../http/http-context.ts';
import { pauses } from '../runtime/pauses.ts';
import { DASHBOARD, DOCS } from '../runtime/resources.ts';
import type { AccountServices } from '../services/services.ts';
import { sendError } from './errors.ts';

/** Address of the logo of the lab, relative to `/svc/`. */
export const LOGO = 'lab-logo';

/** Pages that have another address than `/svc/<name>`. */
const ELSEWHERE: ReadonlySet<string> = new Set(['index', 'home', 'not-found']);

/**
 * Cache header for files whose names contain a hash, because their content never changes. Other files are revalidated
 * on each request.
 */
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * Serves the pages of the dashboard and of the documentation to any client, and the response for unknown addresses. The
 * content security policy allows the pages to load only files of this server.
 */
export async function servePages(
  app: App,
  { log, modules }: Pick<AccountServices, 'log' | 'modules'>,
): Promise<void> {
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
          // 'self' includes WebSockets of the same host, which the pages need for live events, previews and logs.
          connectSrc: ["'self'"],
          // The browser must not submit forms; scripts send their content instead, so that a password is never put into
          // a URL.
          formAction: ["'none'"],
          baseUri: ["'none'"],
          frameAncestors: ["'none'"],
          // Requires trusted types and allows no policy for them, so that no text can become markup or a script.
          requireTrustedTypesFor: ["'script'"],
          trustedTypes: ["'none'"],
        },
      },
      // Strict transport security (HSTS) would apply to the whole host, so the operator decides about it.
      strictTransportSecurity: false,
      frameguard: { action: 'deny' },
      referrerPolicy: { policy: 'same-origin' },
    });
    serveLogo(site, modules.settings.offers.labLogo);
    await otherWork();
    if (isBuilt) {
      await serveFolder(site, 'assets', FOREVER);
      await serveFolder(site, 'static', 'no-cache');
      await serveDocs(site);
      await otherWork();
      const pause = pauses();
      for (const name of builtPages()) {
        servePage(site, `${SITE_PREFIX}/${name}`, pageAt(`${name}.html`));
        await pause();
      }
      servePage(site, `${SITE_PREFIX}/`, pageAt('index.html'));
      servePage(site, SITE_PREFIX, pageAt('index.html', '.'));
      servePage(site, '/', pageAt('home.html', '.'));
      serveIcon(site);
    }
    site.setNotFoundHandler(answerUnknown(isBuilt ? pageAt('not-found.html', '') : NOT_BUILT));
  });
}

/**
 * Serves the picture that a Super admin chose as the logo, to any client. It is only ever a PNG picture. The sandbox is
 * for browsers that would show it as something else.
 */
function serveLogo(site: FastifyInstance, labLogo: LabLogo): void {
  site.get(`${SITE_PREFIX}/${LOGO}`, (request, reply) => {
    const logo = labLogo.current();
    if (logo === null) return reply.callNotFound();
    const isNamed = (request.query as { v?: unknown }).v === logo.version;
    return reply
      .type('image/png')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cache-control', isNamed ? FOREVER : 'no-cache')
      .send(logo.png);
  });
}

/** Serves the address that browsers request on their own, for every page that names no icon. */
function serveIcon(site: FastifyInstance): void {
  const icon = readFileSync(join(DASHBOARD, 'static', 'favicon.ico'));
  site.get('/favicon.ico', (_request, reply) =>
    reply.type('image/x-icon').header('cache-control', 'no-cache').send(icon),
  );
}

/**
 * @returns the names of the pages that the dashboard's build created. The pages contain no data, so any client may load
 * them: all data comes from the API (contract 1).
 */
function builtPages(): readonly string[] {
  return readdirSync(DASHBOARD)
    .filter((file) => file.endsWith('.html'))
    .map((file) => file.slice(0, -'.html'.length))
    .filter((name) => !ELSEWHERE.has(name));
}

/** Page for every address if the dashboard is not built. The API works without the dashboard. */
const NOT_BUILT = Buffer.from('<!doctype html><title>Device lab</title><p>The dashboard is not built.</p>\n');

/**
 * Reads a page of the dashboard. The links in the file begin with `./`, which is correct only for a page directly below
 * `/svc/`.
 * @param site prefix of the links of a page at another address: each `./` is replaced by `<site>/svc/`
 */
function pageAt(name: string, site?: '' | '.'): Buffer {
  const page = readFileSync(join(DASHBOARD, name), 'utf8');
  if (site === undefined) return Buffer.from(page);
  return Buffer.from(page.replaceAll(/(src|href)="\.\//g, `$1="${site}${SITE_PREFIX}/`));
}

async function serveFolder(
  site: FastifyInstance,
  name: string,
  cacheControl: string,
  root = join(DASHBOARD, name),
): Promise<void> {
  await site.register(files, {
    root,
    prefix: `${SITE_PREFIX}/${name}/`,
    decorateReply: false,
    preCompressed: true,
    cacheControl: false,
    // The build's description of its own output is in such a folder.
    dotfiles: 'ignore',
    setHeaders: (reply) => {
      reply.setHeader('cache-control', cacheControl);
      reply.setHeader('vary', 'accept-encoding');
    },
  });
}

/**
 * Serves the documentation. Like the pages of the dashboard, it contains no data of the lab and is the same for
 * everyone, so any client may read it (contract 1).
 */
async function serveDocs(site: FastifyInstance): Promise<void> {
  if (!existsSync(DOCS)) return;
  await serveFolder(site, 'docs', 'no-cache', DOCS);
  site.get(`${SITE_PREFIX}/docs`, (_request, reply) => reply.redirect('docs/', 308));
}

function servePage(site: FastifyInstance, path: string, page: Buffer): void {
  site.get(path, (_request, reply) => sendPage(reply, page));
}

function sendPage(reply: FastifyReply, page: Buffer): FastifyReply {
  return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page);
}

/**
 * Returns the handler of unknown addresses. It sends a page if the client accepts HTML, and the API's error otherwise.
 */
function answerUnknown(page: Buffer): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return ({ method, headers: { accept = '*/*' } }, reply) => {
    const wantsPage = (method === 'GET' || method === 'HEAD') && /text\/html|\*\/\*/.test(accept);
    if (!wantsPage) return sendError(reply, 'not_found');
    return sendPage(reply.code(404), page);
  };
}
