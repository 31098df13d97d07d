import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Caller, type Clock, holds } from '@svc/auth-core';
import type { Scope } from '@svc/contract';
import { mayHaveBody } from './body.ts';
import { ClientGone, type CreateLimits, readJsonBody } from './create-body.ts';
import type { CreateBudget } from './create-budget.ts';
import { invalidArgument, notCreated, WebDriverError } from './responses.ts';
import { StorageOwners } from './storage-owners.ts';

type Action = 'list' | 'add' | 'socket' | 'delete' | 'reset' | 'other';

interface Requested {
  readonly action: Action;
  /** SHA-1 of the uploaded file in the path of a socket; otherwise empty. */
  readonly sha1: string;
}

interface StorageRouteOptions {
  readonly basePath: string;
  readonly clock: Clock;
  readonly limits: CreateLimits;
  readonly budget: CreateBudget;
}

type WithBody = IncomingMessage & { body?: unknown };

const SCOPES: Readonly<Record<Action, Scope>> = {
  list: 'read',
  add: 'sessions',
  socket: 'sessions',
  delete: 'admin',
  reset: 'admin',
  other: 'admin',
};
/** Maximum size in bytes of a body, which has a file name and a hash. */
const MAX_BODY_BYTES = 16 * 1024;
const OWN_PREFIX = '/appium/storage/';
/** Prefix that the plugin still serves for older clients. Another plugin could use it for other routes. */
const OLD_PREFIX = '/storage/';
const SOCKET = /^add\/([^/]+)\/(?:stream|events)$/;
/** The plugin writes an upload to a file with this ending, so a file of such a name would replace another upload. */
const PARTIAL = /\.filepart$/i;

/**
 * Checks the routes of Appium's storage plugin, whose one store is shared by all accounts: listing needs the scope
 * `read`, uploading `sessions`, and deleting and resetting `admin`. A name that another account uploaded is refused.
 */
export class StorageRoutes {
  readonly #options: StorageRouteOptions;
  readonly #owners: StorageOwners;

  constructor(options: StorageRouteOptions) {
    this.#options = { ...options, limits: { ...options.limits, maxBytes: MAX_BODY_BYTES } };
    this.#owners = new StorageOwners(options.clock);
  }

  /**
   * Checks a request of an authenticated caller. Rejects with the `WebDriverError` to send, or with `ClientGone`.
   * Resolves immediately for targets outside the store. `url` is the classified target, without scheme and host.
   */
  async check(
    req: WithBody,
    res: ServerResponse,
    { url, caller }: { readonly url: string; readonly caller: Caller },
  ): Promise<void> {
    const requested = this.#requested(url);
    if (requested === null) return;
    const refusal = this.#refusal(requested, caller);
    if (refusal !== null) throw new WebDriverError(403, 'unknown error', refusal);
    if (req.method !== 'POST') return;
    switch (requested.action) {
      case 'add':
        this.#begin(await this.#bodyOf(req), caller);
        return;
      case 'delete': {
        const { name } = await this.#bodyOf(req);
        if (typeof name === 'string') whenDone(res, () => this.#owners.deleted(name));
        return;
      }
      case 'reset':
        whenDone(res, () => this.#owners.reset());
    }
  }

  /** @returns whether the caller may open a WebSocket with this target. True for targets outside the store. */
  mayUpgrade(url: string, caller: Caller): boolean {
    const requested = this.#requested(url);
    if (requested === null) return true;
    if (this.#refusal(requested, caller) !== null) return false;
    return requested.action === 'socket' && this.#owners.join(caller.account.id, requested.sha1);
  }

  #refusal({ action }: Requested, { scopes }: Caller): string | null {
    const scope = SCOPES[action];
    return holds(scopes, scope) ? null : `the storage needs the scope ${scope} for this request`;
  }

  #begin({ name, sha1 }: Record<string, unknown>, caller: Caller): void {
    if (typeof name !== 'string' || typeof sha1 !== 'string')
      throw invalidArgument('name and sha1 must be texts');
    if (PARTIAL.test(name)) throw invalidArgument('the name must not end with .filepart');
    const refusal = this.#owners.begin(caller.account.id, name, sha1.toLowerCase());
    if (refusal !== null) throw new WebDriverError(409, 'invalid argument', refusal);
  }

  /** Reads the body and leaves it in the request, because Appium cannot read it a second time. */
  async #bodyOf(req: WithBody): Promise<Record<string, unknown>> {
    if (!mayHaveBody(req)) return {};
    const { budget, limits } = this.#options;
    const share = budget.open();
    try {
      const body = await readJsonBody(req, limits, share);
      req.body = body;
      return body;
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      if (!(error instanceof WebDriverError)) throw notCreated('the request could not be read');
      if (error.w3cStatus !== 415) throw error;
      throw new WebDriverError(415, 'invalid argument', 'the body must be application/json in UTF-8');
    } finally {
      share.release();
    }
  }

  /**
   * Reads a target more generously than the server's router, so that no spelling of a route escapes the check: in any
   * letter case, decoded, with doubled and trailing slashes, and below the base path too.
   */
  #requested(url: string): Requested | null {
    const path = plainPath(url);
    const base = this.#options.basePath.toLowerCase();
    const route = base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
    if (route.startsWith(OWN_PREFIX)) return requestedBy(route.slice(OWN_PREFIX.length));
    if (!route.startsWith(OLD_PREFIX)) return null;
    const requested = requestedBy(route.slice(OLD_PREFIX.length));
    return requested.action === 'other' ? null : requested;
  }
}

function requestedBy(rest: string): Requested {
  const socket = SOCKET.exec(rest);
  if (socket !== null) return { action: 'socket', sha1: socket[1] as string };
  const isKnown = rest === 'list' || rest === 'add' || rest === 'delete' || rest === 'reset';
  return { action: isKnown ? rest : 'other', sha1: '' };
}

function plainPath(url: string): string {
  const path = url.split('?', 1)[0] as string;
  return `${decoded(path)}/`
    .toLowerCase()
    .replace(/\/{2,}/g, '/')
    .slice(0, -1);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Calls `act` when the response was sent and says that the plugin has succeeded. */
function whenDone(res: ServerResponse, act: () => void): void {
  res.once('finish', () => {
    if (res.statusCode === 200) act();
  });
}
