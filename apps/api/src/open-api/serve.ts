import { SITE_PREFIX } from '@svc/contract';
import type { App } from '../http/http-context.ts';
import { VERSION } from '../runtime/resources.ts';

/** The OpenAPI document for anyone. It is made when it is first asked for: no start pays for it. */
export function serveOpenApi(app: App): void {
  let document: Promise<Buffer> | undefined;
  app.get(`${SITE_PREFIX}/openapi.json`, async (_request, reply) => {
    document ??= import('./document.ts').then(({ openApiDocument }) =>
      Buffer.from(JSON.stringify(openApiDocument(VERSION))),
    );
    return reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(await document);
  });
}
