import { readFile } from 'node:fs/promises';
import { SITE_PREFIX } from '@svc/contract';
import type { App } from '../http/http-context.ts';
import { OPEN_API } from '../runtime/resources.ts';

/**
 * Sends the OpenAPI document, which the contract's build writes, to any client. The file is read on the first request.
 */
export function serveOpenApi(app: App): void {
  let document: Promise<Buffer> | undefined;
  app.get(`${SITE_PREFIX}/openapi.json`, async (_request, reply) => {
    document ??= readFile(OPEN_API);
    return reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(await document);
  });
}
