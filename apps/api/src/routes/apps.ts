import { routes } from '@svc/contract';
import { describeApp } from '@svc/device-lab';
import { receiveApp } from '../apps/receive-app.ts';
import { sendApp } from '../apps/send-app.ts';
import { handle } from '../http/handle.ts';
import type { App, LabContext } from '../http/http-context.ts';
import { takeFiles } from '../plugins/bodies.ts';

/** Registers the routes that receive and send the files of the app library (contract 2). */
export function appRoutes(api: App, context: LabContext): void {
  const { transfers } = context;

  handle(
    api,
    routes.downloadApp,
    (request, reply) => sendApp(request, reply, request.params.id, transfers, context) as never,
  );

  void api.register(async (uploads) => {
    takeFiles(uploads);
    handle(uploads, routes.uploadApp, async (request) =>
      describeApp(await receiveApp(request, transfers, context)),
    );
  });
}
