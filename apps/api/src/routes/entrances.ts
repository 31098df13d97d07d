import { routes } from '@svc/contract';
import { stopCounting } from '../clients/client-limits.ts';
import { AccountFeed } from '../grid/account-feed.ts';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/**
 * Registers the route that sends the accounts to further entrances, which are servers without a database in front of a
 * grid.
 */
export function entranceRoutes(api: App, { services }: HttpContext): void {
  const accountFeed = new AccountFeed(services);
  handle(api, routes.accountsForEntrances, ({ caller, query, raw }, reply) => {
    stopCounting(raw.socket);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    return accountFeed.next(caller, query.after, gone.signal);
  });

  // Ends the requests that wait for a change of the accounts, because they would delay the stop of the server.
  api.addHook('preClose', async () => accountFeed.stop());
}
