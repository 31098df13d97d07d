import type { Stores } from '@svc/auth-core';
import { type Handlers, instant, mapped } from '@svc/module';
import type { SessionDirectory } from '../session-directory.ts';
import type { AppLibrary } from './app-library.ts';
import { type AppUse, appUses } from './app-uses.ts';
import type { LibraryApp } from './library-app.ts';

interface Tools {
  readonly apps: AppLibrary;
  readonly sessions: SessionDirectory;
  readonly stores: Pick<Stores, 'accounts'>;
}

/** Handlers of the app library (contract 2). Uploads and downloads are streams, so the API has their handlers. */
export function appHandlers({ apps, sessions, stores }: Tools): Handlers {
  return {
    listApps: ({ caller }) => apps.list(caller).map(describeApp),
    listAppUses: {
      list: ({ caller }) => mapped(appUses({ library: apps, sessions, stores }, caller), describeUse),
    },
    deleteApp: {
      authorize: (_caller, { id }) => void apps.byId(id),
      answer: ({ caller, params }) => apps.remove(caller, params.id),
    },
  };
}

/** Returns an app in the shape of `GET /apps`. */
export function describeApp({ id, name, size, sha256, createdAt }: LibraryApp) {
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
