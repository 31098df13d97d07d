import { refuseUpgrade, type Upstream } from '@svc/webdriver-gate';
import type { App } from '../http/http-context.ts';

/** Returns an upstream that passes requests to the pages and the API in this process. */
export function siteOf(app: App): Upstream {
  return {
    request: (req, res) => app.routing(req, res),
    upgrade: (req, socket, head) => {
      if (app.server.emit('upgrade', req, socket, head)) return;
      refuseUpgrade(socket, 404);
    },
  };
}
