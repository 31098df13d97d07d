import type { Upstream } from '@svc/webdriver-gate';
import type { ExpressApp } from './appium-types.ts';

/**
 * A page at `/` for a person with a browser, where Appium has nothing. Added after Appium's routes: what Appium
 * or another plugin has there goes first, and a client that asks for no page gets Appium's own answer.
 */
export function serveHomePage(express: ExpressApp, site: Upstream): void {
  express.get('/', (req, res, next) => {
    const wantsPage = req.path === '/' && /text\/html/i.test(req.headers.accept ?? '');
    if (wantsPage) site.request(req, res);
    else next();
  });
}
