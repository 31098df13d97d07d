import { ANY_CALLER, commandAuthMode } from '@svc/auth-core';
import { CapabilitiesResponse } from '@svc/contract';
import type { App, HttpContext } from '../http-context.ts';
import { VERSION } from '../version.ts';

/** What this server has switched on, for clients to check before they start (specification 4). */
export function capabilityRoutes(api: App, { services }: HttpContext): void {
  const { authDisabled, requireSessionToken } = services.config;
  const answer = {
    version: VERSION,
    features: {
      commandAuth: commandAuthMode(services.config) === 'on',
      sessionTokenGate: requireSessionToken && !authDisabled,
      bearerAuth: true,
      streamTickets: true,
      mcpScopedTokens: true,
    },
  };
  api.get(
    '/capabilities',
    { config: { access: ANY_CALLER }, schema: { response: { 200: CapabilitiesResponse } } },
    async () => answer,
  );
}
