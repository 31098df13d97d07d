import type { Caller, Stores } from '@svc/auth-core';
import { APP_REFERENCE } from '@svc/contract';
import type { SessionDirectory } from '../session-directory.ts';
import type { SessionView } from '../session-view.ts';
import type { AppLibrary } from './app-library.ts';

/** Maximum number of sessions that are read. */
const SESSIONS_READ = 500;
const SESSIONS_OF_APP = 5;
const REFERENCE = new RegExp(`${APP_REFERENCE}([\\w-]{36})`, 'g');

interface Tools {
  readonly library: Pick<AppLibrary, 'list'>;
  readonly sessions: Pick<SessionDirectory, 'read'>;
  readonly stores: Pick<Stores, 'accounts'>;
}

/** Account that uploaded an app, and the newest sessions that used it. */
export interface AppUse {
  readonly id: string;
  /**
   * User who uploaded the app. Null if the user was deleted, or if an earlier version stored the app without its
   * uploader.
   */
  readonly uploadedBy: { readonly id: string; readonly email: string } | null;
  /** Sessions that the caller may see, newest first. */
  readonly sessions: readonly SessionView[];
}

/**
 * Reads all apps of the library, each with the user who uploaded it and the newest sessions whose capabilities name the
 * app. Sessions that the caller is not allowed to see are left out. An undefined item marks a step after which other
 * requests may run.
 */
export function* appUses(
  { library, sessions, stores }: Tools,
  caller: Caller,
): Generator<AppUse | undefined, void, undefined> {
  const apps = library.list(caller);
  const uses = new Map<string, SessionView[]>(apps.map(({ id }) => [id, []]));
  for (const view of sessions.read(caller, { limit: SESSIONS_READ })) {
    for (const id of view === undefined ? [] : appsIn(view)) {
      const found = uses.get(id);
      if (found !== undefined && found.length < SESSIONS_OF_APP) found.push(view as SessionView);
    }
    yield undefined;
  }
  for (const { id, uploadedBy } of apps) {
    const account = uploadedBy === null ? undefined : stores.accounts.byId(uploadedBy);
    yield {
      id,
      uploadedBy: account === undefined ? null : { id: account.id, email: account.email },
      sessions: uses.get(id) ?? [],
    };
  }
}

/** @returns the ids of the library apps to which any capability of a session refers */
function appsIn({ session }: SessionView): Set<string> {
  const text = JSON.stringify(session.capabilities);
  if (!text.includes(APP_REFERENCE)) return new Set();
  return new Set(Array.from(text.matchAll(REFERENCE), ([, id]) => id as string));
}
