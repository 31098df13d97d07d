import type { Upstream } from '@svc/webdriver-gate';
import type { ExpressApp } from './appium-types.ts';

/**
 * Serves a page for browsers at `/`, where Appium has none. The route is added after those of Appium and other plugins,
 * so that their routes have priority. Clients that do not accept HTML get Appium's own response.
 */
export function serveHomePage(express: ExpressApp, site: Upstream): void {
  express.get('/', (req, res, next) => {
    const wantsPage = req.path === '/' && /text\/html/i.test(req.headers.accept ?? '');
    if (wantsPage) site.request(req, res);
    else next();
  });
}
