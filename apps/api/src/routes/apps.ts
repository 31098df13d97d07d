import { routes } from '@svc/contract';
import { type AppUse, appUses, type LibraryApp } from '@svc/device-lab';
import { instant, mapped } from '@svc/module';
import { receiveApp } from '../apps/receive-app.ts';
import { sendApp } from '../apps/send-app.ts';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { takeFiles } from '../plugins/bodies.ts';

/** Registers the routes of the app library (contract 2). */
export function appRoutes(api: App, context: HttpContext): void {
  const { apps, sessions, stores } = context.services;
  const { reads, transfers } = context;

  handle(api, routes.listApps, ({ caller }) => apps.list(caller).map(describe));

  handle(api, routes.listAppUses, async (request, reply) => {
    const uses = mapped(appUses({ library: apps, sessions, stores }, request.caller), describeUse);
    return await reads.sendList({ request, reply }, routes.listAppUses, uses);
  });

  handle(api, routes.deleteApp, ({ caller, params }) => apps.remove(caller, params.id), {
    authorizeResource: (_caller, { id }) => void apps.byId(id),
  });

  handle(
    api,
    routes.downloadApp,
    (request, reply) => sendApp(request, reply, request.params.id, transfers, context) as never,
  );

  void api.register(async (uploads) => {
    takeFiles(uploads);
    handle(uploads, routes.uploadApp, async (request) =>
      describe(await receiveApp(request, transfers, context)),
    );
  });
}

function describe({ id, name, size, sha256, createdAt }: LibraryApp) {
  return { id, name, size, sha256, createdAt: instant(createdAt) };
}

function describeUse({ id, uploadedBy, sessions }: AppUse) {
  const views = sessions.map(({ session, owner }) => ({
    id: session.id,
    name: session.name,
    startedAt: instant(session.startedAt),
    owner,
  }));
  return { id, uploadedBy, sessions: views };
}
