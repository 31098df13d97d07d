import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import helmet from '@fastify/helmet';
import files from '@fastify/static';
import { SITE_PREFIX } from '@svc/contract';
import type { App } from '../http-context.ts';

const FOLDER = fileURLToPath(new URL('../../pages/', import.meta.url));

/** Shells that hold no data: everything they show comes from the API (contract 1). */
const PAGES: Record<string, string> = {
  '/': 'sign-in.html',
  '/sign-in': 'sign-in.html',
  '/forgot-password': 'forgot-password.html',
  '/reset-password': 'reset-password.html',
};

/** The pages a person needs before being signed in, for anyone, under a policy that runs nothing but our own files. */
export async function servePages(app: App): Promise<void> {
  await app.register(
    async (site) => {
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
        prefix: '/assets/',
        cacheControl: false,
        setHeaders: (reply) => reply.setHeader('cache-control', 'no-cache'),
      });
      for (const [path, page] of Object.entries(PAGES)) {
        site.get(path, { schema: { hide: true } }, (_request, reply) =>
          reply.header('cache-control', 'no-cache').sendFile(page, FOLDER),
        );
      }
    },
    { prefix: SITE_PREFIX },
  );
}
