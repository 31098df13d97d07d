import { SITE_PREFIX } from '@svc/contract';
import type { App, HttpContext } from '../http-context.ts';

/**
 * How to reach a virtual phone (contract 9): for everybody, so it says nothing the start of the lab does not print.
 * Only a server with virtual phones has it.
 */
export function labRoute(app: App, { services, clients }: HttpContext, basePath: string): void {
  const virtual = services.config.virtualDevices;
  if (virtual === null) return;
  const capabilities = {
    platformName: 'Fake',
    'appium:automationName': 'Fake',
    'appium:deviceName': 'Fake',
    'appium:app': virtual.app,
  };
  app.get(`${SITE_PREFIX}/lab.json`, { schema: { hide: true } }, async (request, reply) => {
    const scheme = clients.isHttps(request.raw) ? 'https' : 'http';
    reply.header('cache-control', 'no-store');
    return { url: `${scheme}://${request.host}`, basePath, capabilities };
  });
}
