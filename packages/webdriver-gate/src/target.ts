import { ATTACH_PATH, WELL_KNOWN } from '@svc/contract';

/**
 * Meaning that a request target has for Appium. Appium reads paths with three parsers that differ (Express, WHATWG
 * `URL`, and a pattern on the raw text). Therefore a target that they could read differently is refused, and any other
 * target gets one fixed spelling. Only this file depends on how Appium routes requests.
 */
export type Target =
  /**
   * Target that only an attacker would send: it has a fragment, backslash, control or non-ASCII character, or another
   * scheme.
   */
  | { readonly kind: 'refused' }
  /**
   * Target of the service's own pages, API or documents. The paths of these never begin with the base path (contract 1,
   * 10).
   */
  | { readonly kind: 'site'; readonly url: string }
  | { readonly kind: 'create'; readonly url: string }
  /**
   * Target with the private prefix of a callback address. `url` is the part after the prefix and the secret, and is not
   * classified yet.
   */
  | { readonly kind: 'callback'; readonly url: string; readonly secret: string }
  /** Target below an attach address, with the same fields as a callback address (contract 15.4). */
  | { readonly kind: 'attach'; readonly url: string; readonly secret: string }
  /**
   * Create-session request with a wrong base path. If it were forwarded unchanged, Appium would log its body with the
   * credentials before it responds with 404.
   */
  | { readonly kind: 'misrouted create'; readonly url: string }
  /** Command of a session. `sessionId` is undefined if the id cannot be decoded, so that it matches no session. */
  | { readonly kind: 'command'; readonly url: string; readonly sessionId: string | undefined }
  | { readonly kind: 'listing'; readonly url: string }
  /**
   * Any other target. `sessionId` is set if the path names a session, but in a spelling that Appium does not route,
   * such as with doubled slashes.
   */
  | { readonly kind: 'other'; readonly url: string; readonly sessionId?: string };

/** Meaning that the target of a WebSocket upgrade has for Appium. */
export type SocketTarget =
  | { readonly kind: 'refused' }
  | { readonly kind: 'site'; readonly url: string }
  | { readonly kind: 'callback'; readonly url: string; readonly secret: string }
  | { readonly kind: 'attach'; readonly url: string; readonly secret: string }
  /** WebSocket of a session. `url` is the target to forward. If `bidi` is true, `sessionId` is case-sensitive. */
  | {
      readonly kind: 'session';
      readonly url: string;
      readonly sessionId: string;
      readonly bidi: boolean;
    }
  | { readonly kind: 'other'; readonly url: string };

const REFUSED = { kind: 'refused' } as const;
const UNUSUAL = /[^\x21-\x7e]|[#\\]/;
const ORIGIN = /^https?:\/\/[^/?]*/i;
const USABLE_BASE_PATH = /^(?:\/[A-Za-z0-9._~/-]*)?$/;
/**
 * Part of the pattern `SITE`: the exact paths of the documents that the service offers outside `/svc`, below
 * `/.well-known`.
 */
const DOCUMENTS = Object.values(WELL_KNOWN).join('|').replaceAll('.', '\\.');
const SITE = new RegExp(`^(?:/svc(?=$|[/?])|(?:${DOCUMENTS})(?=$|[?]))`);
/** Prefix of callback addresses: the secret of the address comes after it, and then the target of the command. */
export const CALLBACK_PATH = '/svc-callback/';
const ATTACH = new RegExp(`^${ATTACH_PATH}([^/?]*)(.*)$`);
const CALLBACK = /^\/svc-callback\/([^/?]*)(.*)$/;
const ENDS_LIKE_CREATE = /\/session\/*$/i;

export class Targets {
  readonly #base: string;
  readonly #lowerBase: string;
  /** Path of a create-session request, in the usual spelling. */
  readonly #create: string;
  /** Path that precedes a session id, in the usual spelling. */
  readonly #sessions: string;

  /**
   * Throws if the base path has characters that Appium would read as a pattern, or if its first segment is `svc` or
   * `svc-callback`, because it would then hide the service's own paths.
   */
  constructor(basePath: string) {
    this.#base = normalizedBasePath(basePath);
    if (!USABLE_BASE_PATH.test(this.#base)) throw new Error(`base path ${basePath} has unusable characters`);
    if (/^\/svc(?:-callback)?(?:$|\/)/i.test(this.#base))
      throw new Error(`base path ${basePath} hides the paths of svc`);
    this.#lowerBase = this.#base.toLowerCase();
    this.#create = `${this.#base}/session`;
    this.#sessions = `${this.#create}/`;
  }

  get basePath(): string {
    return this.#base;
  }

  classify(raw: string): Target {
    const url = plainUrl(raw);
    if (url === undefined) return REFUSED;
    if (url.startsWith(this.#sessions))
      return this.#commandOrCreate(url, this.#sessions.length - 1, pathEnd(url));
    if (url === this.#create) return { kind: 'create', url };
    if (SITE.test(url)) return attachOf(url) ?? { kind: 'site', url };
    return this.#classifyUnusual(url);
  }

  /** Returns whether a classified target is the status of the automation server, which everybody may read. */
  isStatus(url: string): boolean {
    return url === `${this.#base}/status`;
  }

  #classifyUnusual(url: string): Target {
    const callback = callbackOf(url);
    if (callback !== undefined) return callback;
    const end = pathEnd(url);
    const path = url.slice(0, end).toLowerCase();
    const query = url.slice(end);
    if (path.startsWith(this.#lowerBase)) {
      const route = path.slice(this.#lowerBase.length);
      if (route === '/session' || route.startsWith('/session/')) {
        return this.#commandOrCreate(url, this.#lowerBase.length + '/session'.length, end);
      }
      if (/^\/(?:appium|auto)\/sessions\/?$/.test(route)) {
        return { kind: 'listing', url: `${this.#base}/appium/sessions${query}` };
      }
    }
    return ENDS_LIKE_CREATE.test(path) ? { kind: 'misrouted create', url } : this.#other(url, end);
  }

  /**
   * Classifies a target below `/session`. `slash` is the index of the slash after `/session`, or the end of the path.
   */
  #commandOrCreate(url: string, slash: number, end: number): Target {
    if (end <= slash + 1) return { kind: 'create', url };
    const next = url.indexOf('/', slash + 1);
    const segment = url.slice(slash + 1, next < 0 || next > end ? end : next);
    if (segment === '') return this.#other(url, end);
    return { kind: 'command', url, sessionId: segment.includes('%') ? decoded(segment) : segment };
  }

  #other(url: string, end: number): Target {
    const path = decoded(url.slice(0, end))?.replace(/\/{2,}/g, '/') ?? '';
    const isBelowBase = path.toLowerCase().startsWith(`${this.#lowerBase}/session/`);
    const sessionId = isBelowBase ? path.slice(this.#sessions.length).split('/', 1)[0] : '';
    return sessionId ? { kind: 'other', url, sessionId } : { kind: 'other', url };
  }

  /**
   * Classifies the target of a WebSocket upgrade. Appium recognizes sockets by the path that WHATWG `URL` parses, but
   * finds the BiDi session by a pattern on the whole raw target, including the query. The target `/bidi?/bidi/<id>`,
   * for example, seems to have no session, but opens a socket of <id>. Therefore a path that WHATWG `URL` changes is
   * refused, and the query of a BiDi target is removed.
   */
  classifySocket(raw: string): SocketTarget {
    const url = plainUrl(raw);
    if (url === undefined) return REFUSED;
    const path = url.slice(0, pathEnd(url));
    if (whatwgPath(path) !== path) return REFUSED;
    if (SITE.test(url)) return attachOf(url) ?? { kind: 'site', url };
    const callback = callbackOf(url);
    if (callback !== undefined) return callback;
    const lower = path.toLowerCase();
    const log = /^\/ws\/session\/([^/]*)/.exec(lower);
    if (log !== null) {
      return sessionSocket(url, path.slice('/ws/session/'.length).split('/', 1)[0] ?? '', false);
    }
    if (!lower.startsWith(`${this.#lowerBase}/bidi`)) return { kind: 'other', url };
    const rest = path.slice(this.#lowerBase.length + '/bidi'.length);
    if (rest === '' || rest === '/') return { kind: 'other', url: `${this.#base}/bidi` };
    const id = /^\/([^/]+)\/?$/.exec(rest)?.[1];
    if (id === undefined) return rest.startsWith('/') ? REFUSED : { kind: 'other', url: path };
    return sessionSocket(`${this.#base}/bidi/${id}`, id, true);
  }
}

/** Matches a target with scheme and host, up to the last `@` before the path. Group 1 is what precedes the user name. */
const USER_INFO = /^((?:[A-Za-z][A-Za-z0-9+.-]*:[/\\]*|[/\\]{2,})?)[^/?#\\]*@/;

/**
 * @returns the path of a target for the log, without its query, the secret of a callback or attach address, and the user name and
 * password of an address (contract 15.1)
 */
export function loggedPath(url: string): string {
  return url
    .slice(0, pathEnd(url))
    .replace(USER_INFO, '$1')
    .replace(/(\/svc(?:-callback|\/attach)\/)[^/]*/gi, '$1...');
}

function attachOf(url: string): Extract<Target, { kind: 'attach' }> | undefined {
  const [, secret, behind] = ATTACH.exec(url) ?? [];
  return secret === undefined ? undefined : { kind: 'attach', url: behind || '/', secret };
}

function callbackOf(url: string): Extract<Target, { kind: 'callback' }> | undefined {
  const [, secret, behind] = CALLBACK.exec(url) ?? [];
  return secret === undefined ? undefined : { kind: 'callback', url: behind || '/', secret };
}

/**
 * Refuses ids with a percent sign. Appium decodes such an id in one place but not in another, so it could open a
 * WebSocket of another session than the one that was checked.
 */
function sessionSocket(url: string, id: string, bidi: boolean): SocketTarget {
  return id === '' || id.includes('%') ? REFUSED : { kind: 'session', url, sessionId: id, bidi };
}

function whatwgPath(path: string): string | undefined {
  try {
    return new URL(path, 'http://localhost').pathname;
  } catch {
    return undefined;
  }
}

/** @returns the path and the query, without scheme and host, or undefined if the target must be refused */
function plainUrl(raw: string): string | undefined {
  if (UNUSUAL.test(raw)) return undefined;
  if (raw.startsWith('/')) return raw;
  const origin = ORIGIN.exec(raw)?.[0];
  if (origin === undefined) return undefined;
  const rest = raw.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function pathEnd(url: string): number {
  const query = url.indexOf('?');
  return query < 0 ? url.length : query;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Adds a leading slash and removes a trailing one, as Appium does. */
function normalizedBasePath(basePath: string): string {
  const trimmed = basePath.replace(/\/$/, '');
  return trimmed === '' || trimmed.startsWith('/') ? trimmed : `/${trimmed}`;
}
