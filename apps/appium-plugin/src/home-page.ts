import type { Upstream } from '@svc/webdriver-gate';
import type { ExpressApp } from './appium-types.ts';

/**
 * Serves a page for browsers at `/`, where Appium has none. The route is added after those of Appium and other plugins,
 * so that their routes have priority. Also serves the icon that browsers request. Clients that do not accept HTML get Appium's own response.
 */
export function serveHomePage(express: ExpressApp, site: Upstream): void {
  express.get('/', (req, res, next) => {
    const wantsPage = req.path === '/' && /text\/html/i.test(req.headers.accept ?? '');
    if (wantsPage) site.request(req, res);
    else next();
  });
  // Browsers request this address on their own, and Appium would answer and log it as an unknown command.
  express.get('/favicon.ico', (req, res) => site.request(req, res));
}
