import { routes } from '@svc/contract';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';

/** What further entrances of a grid are told by the first. */
export function entranceRoutes(api: App, { services: { accountFeed } }: HttpContext): void {
  handle(api, routes.accountsForEntrances, ({ caller, query }, reply) => {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    return accountFeed.next(caller, query.after, gone.signal);
  });

  // A request that waits for a change must not keep the server from closing.
  api.addHook('preClose', async () => accountFeed.stop());
}
