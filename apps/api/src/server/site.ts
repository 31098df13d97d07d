import { refuseUpgrade, type Upstream } from '@svc/webdriver-gate';
import type { App } from '../http/http-context.ts';

/** Returns the pages and the API as the upstream of a gate, which passes requests to them in this process. */
export function siteOf(app: App): Upstream {
  return {
    request: (req, res) => app.routing(req, res),
    upgrade: (req, socket, head) => {
      if (app.server.emit('upgrade', req, socket, head)) return;
      refuseUpgrade(socket, 404);
    },
  };
}
