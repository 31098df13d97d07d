import type { IncomingMessage, ServerResponse } from 'node:http';
import { API_PREFIX } from '@svc/contract';
import { refuseUpgrade, type Upstream } from '@svc/webdriver-gate';

/**
 * Serves the health routes, which a load balancer requests. Every other path below `/svc` gets 503, because only the
 * first entrance has the API and the pages.
 * @param version called to find out whether this server is ready; it throws if the server cannot check clients now
 */
export function healthSite(version: () => number): Upstream {
  return {
    request: (req: IncomingMessage, res: ServerResponse) => {
      const path = (req.url ?? '').split('?', 1)[0];
      if (path === `${API_PREFIX}/health`) sendJson(res, 200, { ok: true });
      else if (path === `${API_PREFIX}/health/ready`) {
        const ok = canRun(version);
        sendJson(res, ok ? 200 : 503, { ok, checks: { firstEntrance: ok } });
      } else
        sendJson(res, 503, {
          error: 'unavailable',
          message: 'The API and the pages are at the first entrance.',
        });
    },
    upgrade: (_req, socket) => refuseUpgrade(socket, 503),
  };
}

function canRun(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

export function sendJson(res: ServerResponse, status: number, content: object): void {
  const body = JSON.stringify(content);
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
  });
  res.end(body);
}
