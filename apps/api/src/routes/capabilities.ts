import { commandAuthMode } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { identityUrl } from '@svc/settings';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { isInspectorInstalled } from '../plugins/inspector.ts';
import { VERSION } from '../runtime/resources.ts';

/**
 * Registers the route that lists the features of this server and whether they are on, so that clients can check them
 * before they start (specification 4).
 */
export function capabilityRoutes(api: App, { services, basePath }: HttpContext): void {
  const { authDisabled, requireSessionToken } = services.config;
  const answer = {
    version: VERSION,
    features: {
      commandAuth: commandAuthMode(services.config) === 'on',
      sessionTokenGate: requireSessionToken && !authDisabled,
      bearerAuth: true,
      streamTickets: true,
      mcpScopedTokens: true,
      liveEvents: true,
      scim: identityUrl(services.config) !== null,
    },
    webDriver: { basePath, example: services.localLab?.capabilities ?? null },
  };
  const queue = services.modules.lab?.offers.lab.queue;
  handle(api, routes.capabilities, async () => ({
    ...answer,
    features: { ...answer.features, inspector: await isInspectorInstalled() },
    queue: { waiting: queue?.waiting ?? 0 },
  }));
}
