import { SITE_PREFIX } from '@svc/contract';
import type { App, HttpContext } from '../http/http-context.ts';

/**
 * Registers `GET /svc/lab.json`, which describes how to reach the virtual phones of the local lab (contract 9), the one
 * that `npx -y pnpm@10 dev` starts. Other servers do not have this route. The route is public, so its response contains
 * only what the lab prints at its start.
 */
export function labRoute(app: App, { services, clients }: HttpContext, basePath: string): void {
  const { localLab } = services;
  if (localLab === null) return;
  const { capabilities } = localLab;
  app.get(`${SITE_PREFIX}/lab.json`, async (request, reply) => {
    const scheme = clients.isHttps(request.raw) ? 'https' : 'http';
    reply.header('cache-control', 'no-store');
    return { url: `${scheme}://${request.host}`, basePath, capabilities };
  });
}
