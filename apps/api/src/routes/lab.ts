import { SITE_PREFIX } from '@svc/contract';
import type { Config } from '@svc/settings';
import type { App, HttpContext } from '../http-context.ts';

/**
 * How to reach a virtual phone (contract 9). Public, so it holds only what the lab prints at its start.
 * Only a server with virtual phones has it.
 */
export function labRoute(app: App, { services, clients }: HttpContext, basePath: string): void {
  const capabilities = virtualPhone(services.config);
  if (capabilities === null) return;
  app.get(`${SITE_PREFIX}/lab.json`, async (request, reply) => {
    const scheme = clients.isHttps(request.raw) ? 'https' : 'http';
    reply.header('cache-control', 'no-store');
    return { url: `${scheme}://${request.host}`, basePath, capabilities };
  });
}

/** Capabilities that fit any virtual phone; null on a server that has none. */
export function virtualPhone({
  virtualDevices,
}: Pick<Config, 'virtualDevices'>): Record<string, unknown> | null {
  if (virtualDevices === null) return null;
  return {
    platformName: 'Fake',
    'appium:automationName': 'Fake',
    'appium:deviceName': 'Fake',
    'appium:app': virtualDevices.app,
  };
}
