import { isRecord } from '@svc/contract';
import { REDACTED } from '../capabilities/redacted.ts';
import { commandName } from './command-names.ts';
import type { CommandError } from './entry.ts';

const LONGEST_SUMMARY = 200;
const LONGEST_MESSAGE = 1_000;
const LEAVES = 12;
const EXECUTES = /^\/execute(?:\/sync|\/async|_async)?$/;
const EXTENSION = /^\s*[A-Za-z]\w*:\s*[\w.-]+\s*$/;
const ON_ELEMENT = /\/(?:element|shadow)\/([^/]+)(?:\/(?:attribute|property|css)\/([^/]+))?/i;

interface Described {
  readonly method: string;
  readonly path: string;
  /** Path after the session id, in lower case. */
  readonly route: string;
  /** Body of the request with secrets masked. */
  readonly body: unknown;
}

/** @returns the name of a command, such as `findElement`, `svc: setSessionStatus` or `mobile: tap` (contract 11) */
export function nameOf({ method, route, body }: Described): string {
  const script = scriptOf(route, body);
  return script ?? commandName(method, route);
}

/**
 * Returns one line that names the object of a command, such as `xpath //login`. It is derived only from the path and
 * the masked body, so it contains no secret (contract 11).
 * @param locator how the element in the path was found, or undefined if this is unknown
 */
export function summaryOf(described: Described, locator: string | undefined): string {
  const { path, route, body } = described;
  const [, elementId, property] = ON_ELEMENT.exec(path) ?? [];
  const on = elementId === undefined ? undefined : (locator ?? `element ${elementId}`);
  const words = [locatorIn(body) ?? wordsOf(route, body), on, property];
  return oneLine(words.filter((word) => word !== undefined && word !== '').join(' '));
}

/** @returns `using` and `value` of a command that finds elements, or undefined for any other body */
export function locatorIn(body: unknown): string | undefined {
  if (!isRecord(body) || typeof body.using !== 'string') return undefined;
  return oneLine(`${body.using} ${typeof body.value === 'string' ? body.value : ''}`);
}

/** @returns the id of the element that a path contains, or undefined if it contains none */
export function elementIn(path: string): string | undefined {
  return ON_ELEMENT.exec(path)?.[1];
}

/**
 * @returns the error in a response, or undefined if the command succeeded. A response that was cut is no valid JSON, so
 * the error is then searched in its text.
 */
export function errorOf(status: number, response: unknown): CommandError | undefined {
  if (status < 400) return undefined;
  const value = isRecord(response) && isRecord(response.value) ? response.value : response;
  const { error, message } = isRecord(value) ? value : cutError(value);
  return {
    code: typeof error === 'string' && error !== '' ? oneLine(error) : 'unknown error',
    message: withoutStack(typeof message === 'string' ? message : `HTTP status ${status}`),
  };
}

function cutError(text: unknown): { error?: unknown; message?: unknown } {
  if (typeof text !== 'string') return {};
  return { error: stringIn(text, 'error'), message: stringIn(text, 'message') };
}

function stringIn(json: string, name: string): unknown {
  const found = new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.)*")`).exec(json)?.[1];
  if (found === undefined) return undefined;
  try {
    return JSON.parse(found);
  } catch {
    return undefined;
  }
}

function withoutStack(message: string): string {
  const [text = ''] = message.split(/\n\s+at /, 1);
  return text.trim().slice(0, LONGEST_MESSAGE);
}

function scriptOf(route: string, body: unknown): string | undefined {
  if (!EXECUTES.test(route) || !isRecord(body)) return undefined;
  const { script } = body;
  return typeof script === 'string' && EXTENSION.test(script) ? oneLine(script) : undefined;
}

function wordsOf(route: string, body: unknown): string {
  if (route === '/actions') return pointsOf(body);
  const words: string[] = [];
  const collect = (value: unknown, name: string): void => {
    if (words.length >= LEAVES) return;
    if (isRecord(value)) for (const [key, each] of Object.entries(value)) collect(each, key);
    else if (Array.isArray(value)) for (const each of value) collect(each, name);
    else if (isShown(value, name, route)) words.push(String(value));
  };
  collect(body, '');
  return words.join(' ');
}

function isShown(value: unknown, name: string, route: string): boolean {
  if (value === null || value === undefined || value === '' || value === REDACTED) return false;
  return !(name === 'script' && EXECUTES.test(route));
}

/** @returns the points that a gesture touches, such as `100,200 to 100,900` */
function pointsOf(body: unknown): string {
  const sources = isRecord(body) && Array.isArray(body.actions) ? body.actions : [];
  return sources
    .filter(isRecord)
    .map(({ type, actions }) => {
      const moves = (Array.isArray(actions) ? actions : []).filter(
        (each) => isRecord(each) && each.type === 'pointerMove',
      );
      const points = moves.slice(0, LEAVES).map(({ x, y }) => `${x},${y}`);
      return points.length > 0 ? points.join(' to ') : String(type ?? '');
    })
    .join(' and ');
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST_SUMMARY ? line : `${line.slice(0, LONGEST_SUMMARY)}…`;
}
