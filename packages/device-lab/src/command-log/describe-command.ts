import { isRecord, REDACTED } from '@svc/auth-core';
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
  /** The path after the session id, in lower case. */
  readonly route: string;
  /** The masked body. */
  readonly body: unknown;
}

/** `findElement`, `svc: setSessionStatus` or `mobile: tap` (contract 11). */
export function nameOf({ method, route, body }: Described): string {
  const script = scriptOf(route, body);
  return script ?? commandName(method, route);
}

/**
 * One line with what the command acts on, such as `xpath //login`. It is made of the masked body alone (contract 11).
 * @param locator how the element that the path names was found, or undefined if that is not known
 */
export function summaryOf(described: Described, locator: string | undefined): string {
  const { path, route, body } = described;
  const [, elementId, property] = ON_ELEMENT.exec(path) ?? [];
  const on = elementId === undefined ? undefined : (locator ?? `element ${elementId}`);
  const words = [locatorIn(body) ?? wordsOf(route, body), on, property];
  return oneLine(words.filter((word) => word !== undefined && word !== '').join(' '));
}

/** `using` and `value` of a command that finds elements, or undefined for any other body. */
export function locatorIn(body: unknown): string | undefined {
  if (!isRecord(body) || typeof body.using !== 'string') return undefined;
  return oneLine(`${body.using} ${typeof body.value === 'string' ? body.value : ''}`);
}

/** The id of the element that a path names, or undefined if it names none. */
export function elementIn(path: string): string | undefined {
  return ON_ELEMENT.exec(path)?.[1];
}

/** The error of a response, or undefined if the command succeeded. Reads a response that was cut as well. */
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

/** The points that a gesture touches, such as `100,200 to 100,900`. */
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
