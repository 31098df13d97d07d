import { routes } from '@svc/contract';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the routes for the settings of the running server and for the test of its AI provider (contract 2). */
export function configRoutes(
  api: App,
  { services: { config, settings, labLogo, aiTests } }: HttpContext,
): void {
  handle(api, routes.settings, ({ caller }) => settings.list(caller));

  handle(api, routes.saveSettings, ({ caller, body }) => settings.save(caller, body));

  handle(api, routes.listGivenSettings, () => config.given);

  handle(api, routes.saveLogo, ({ caller, body }) => labLogo.save(caller, body.png));

  handle(api, routes.deleteLogo, ({ caller }) => labLogo.remove(caller));

  handle(api, routes.testAi, (_request, reply) => {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    return aiTests.run(gone.signal);
  });

  // Aborts the requests that wait for an AI provider, because they would delay the stop of the server.
  api.addHook('preClose', async () => aiTests.stop());
}
