import { ANY_CALLER, commandAuthMode } from '@svc/auth-core';
import { CapabilitiesAnswer } from '@svc/contract';
import type { App, Host } from '../host.ts';
import { VERSION } from '../version.ts';

/** What this server has switched on, for clients to check before they start (specification 4). */
export function capabilityRoutes(api: App, { deps }: Host): void {
  const { authDisabled, requireSessionToken } = deps.config;
  const answer = {
    version: VERSION,
    features: {
      commandAuth: commandAuthMode(deps.config) === 'on',
      sessionTokenGate: requireSessionToken && !authDisabled,
      bearerAuth: true,
      streamTickets: true,
      mcpScopedTokens: true,
    },
  };
  api.get(
    '/capabilities',
    { config: { access: ANY_CALLER }, schema: { response: { 200: CapabilitiesAnswer } } },
    async () => answer,
  );
}
