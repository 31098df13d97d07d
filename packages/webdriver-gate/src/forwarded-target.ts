import { API_PREFIX } from '@svc/contract';
import type { Targets } from './target.ts';

/** Kind of a request that a reverse proxy asks this server to check before the proxy forwards it. */
export type ForwardedTarget =
  /** Target that two servers could read differently, or that only an attacker would send. It is refused. */
  | { readonly kind: 'unclear' }
  /**
   * Request to one or more sessions. The caller must have the right to each session in `sessionIds`, which is never
   * empty.
   */
  | { readonly kind: 'session'; readonly sessionIds: readonly string[] }
  | { readonly kind: 'create' }
  | { readonly kind: 'listing' }
  /** Request to the service's own API. */
  | { readonly kind: 'api' }
  | { readonly kind: 'other' };

const UNCLEAR = { kind: 'unclear' } as const;
const MAX_READINGS = 4;
/**
 * Percent-encoded bytes that never occur in UTF-8. Targets with such bytes are refused, because some decoders turn them
 * into slashes or dots.
 */
const NO_UTF8 = /%(?:c[01]|f[5-9a-f])/i;
const CONTROL = /[^\x20-\uffff]|\x7f/;
const ENCODED = /%([0-9a-f]{2})/gi;
/**
 * Characters at which at least one kind of server ends a path segment. Servers differ in this, so all of them count.
 */
const SEPARATOR = /[/\\?#;]+/;

/**
 * Classifies the target of a request that a reverse proxy will forward to a server of any kind. That server could read
 * the path differently from this one: the proxy may decode the path, merge slashes, or change a prefix, and the server
 * may have another base path or not be Appium. Therefore a segment `session` or `bidi` counts as the start of a session
 * path at any position, in any letter case, and however often it is percent-encoded. A target with dot segments is
 * `unclear`.
 */
export function classifyForwarded(targets: Targets, uri: string): ForwardedTarget {
  const own = uri.startsWith('/') ? targets.classify(uri) : UNCLEAR;
  if (own.kind === 'refused' || own.kind === 'unclear' || own.kind === 'callback' || own.kind === 'attach')
    return UNCLEAR;
  const query = uri.indexOf('?');
  const readings = readingsOf(query < 0 ? uri : uri.slice(0, query));
  if (readings === null) return UNCLEAR;

  const sessionIds = new Set<string>();
  if (own.kind === 'command') {
    if (own.sessionId === undefined) return UNCLEAR;
    sessionIds.add(own.sessionId);
  }
  const last = {
    isCreate: own.kind === 'create' || own.kind === 'misrouted create',
    isListing: own.kind === 'listing',
  };
  for (const segments of readings) {
    if (isDotted(segments)) return UNCLEAR;
    // Refuse a BiDi target with a query, because Appium may take the session id from the query instead of the path.
    if (query >= 0 && segments.some(isBidi)) return UNCLEAR;
    collectIds(segments, sessionIds);
    const end = segments.findLast((segment) => segment !== '')?.toLowerCase();
    if (end === 'session') last.isCreate = true;
    if (end === 'sessions' && segments[1] !== 'svc') last.isListing = true;
  }
  const socket = targets.classifySocket(uri);
  if (socket.kind === 'session' && !sessionIds.has(socket.sessionId)) return UNCLEAR;
  if (readings.every(isApi)) return { kind: 'api' };
  if (sessionIds.size > 0) return { kind: 'session', sessionIds: [...sessionIds] };
  if (last.isCreate) return { kind: 'create' };
  return { kind: last.isListing ? 'listing' : 'other' };
}

/**
 * Returns whether any server could read a dot segment in the path of a target, in any encoding. Such a path could lead
 * from the session that it names to another one.
 */
export function hasDotSegments(url: string): boolean {
  // This cheap search is enough for almost every command, because few paths contain a dot or a percent sign.
  if (!url.includes('.') && !url.includes('%')) return false;
  const query = url.indexOf('?');
  const readings = readingsOf(query < 0 ? url : url.slice(0, query));
  return readings === null || readings.some(isDotted);
}

function isDotted(segments: readonly string[]): boolean {
  return segments.some((segment) => segment === '.' || segment === '..');
}

/**
 * @returns the segments of the path, as they are and after each round of decoding. Null if the path has bytes that are
 * not allowed, or is still encoded after `MAX_READINGS` rounds.
 */
function readingsOf(path: string): string[][] | null {
  const readings = [path.split(SEPARATOR)];
  if (!path.includes('%')) return readings;
  if (NO_UTF8.test(path)) return null;
  for (let text = path; ; ) {
    const decoded = text.replace(ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (decoded === text) return readings;
    if (readings.length === MAX_READINGS || CONTROL.test(decoded)) return null;
    readings.push(decoded.split(SEPARATOR));
    text = decoded;
  }
}

function collectIds(segments: readonly string[], ids: Set<string>): void {
  for (let at = 0; at < segments.length - 1; at++) {
    const segment = segments[at] as string;
    const id = segments[at + 1] as string;
    if (id !== '' && (segment.toLowerCase() === 'session' || isBidi(segment))) ids.add(id);
  }
}

function isBidi(segment: string): boolean {
  return segment.toLowerCase() === 'bidi';
}

const [, SITE_SEGMENT, API_SEGMENT] = API_PREFIX.split('/');

function isApi([root, site, api]: readonly string[]): boolean {
  return root === '' && site === SITE_SEGMENT && api === API_SEGMENT;
}
