import { elementIn, errorOf, locatorIn, nameOf, summaryOf } from './describe-command.ts';
import { LOG_BOUNDS, type LoggedCommand, type ObservedCommand, TooLarge } from './entry.ts';
import type { FoundElements } from './found-elements.ts';
import { isUnkeptResponse } from './kept-fields.ts';
import { looksHarmless, maskText, maskValue } from './mask.ts';
import { maskBody } from './mask-body.ts';
import { scriptMask } from './mask-script.ts';
import type { TypedTexts } from './typed-texts.ts';

const SHORT = 512;
const FINDS = /\/elements?$/;
const ON_ELEMENT = /^\/(?:element|shadow)\/[^/]+/;

/**
 * Format in which a command is stored in a chunk. Body and response are JSON texts, or the beginning of one if they
 * were cut.
 */
type StoredCommand = readonly [
  at: number,
  method: string,
  path: string,
  status: number,
  durationMs: number,
  body: string | null,
  response: string | null,
  /** Locator with which the element in the path was found. Absent or null if it is unknown. */
  locator?: string | null,
  /** Absent unless the command was sent to an attach address. */
  via?: 'attach',
];

/** @returns a command as JSON for its chunk, with secrets masked and long texts cut */
export function encode(seen: ObservedCommand, typed: TypedTexts, found: FoundElements): string {
  const route = routeOf(seen.path);
  const body = orNote(() => bodyOf(seen, route, typed));
  const response = orNote(() => responseOf(seen, route, typed));
  const stored: StoredCommand = [
    seen.at,
    seen.method,
    maskText(seen.path),
    seen.status,
    seen.durationMs,
    body,
    response,
  ];
  const locator = locatorOf(seen, route, found);
  if (FINDS.test(route)) noteElements(seen.status, { body, response }, found);
  if (seen.via === 'attach') return JSON.stringify([...stored, locator ?? null, seen.via]);
  return JSON.stringify(locator === undefined ? stored : [...stored, locator]);
}

function locatorOf({ path }: ObservedCommand, route: string, found: FoundElements): string | undefined {
  const element = ON_ELEMENT.test(route) ? elementIn(path) : undefined;
  return element === undefined ? undefined : found.locatorOf(element);
}

function noteElements(
  status: number,
  { body, response }: { body: string | null; response: string | null },
  found: FoundElements,
): void {
  const locator = status < 400 ? locatorIn(jsonOf(body)) : undefined;
  if (locator !== undefined && response !== null) found.add(locator, response);
}

/**
 * Returns the result of `part`, or the text of a short note if `part` throws. Otherwise one command that cannot be
 * masked would prevent all other commands from being written.
 */
function orNote(part: () => string | null): string | null {
  try {
    return part();
  } catch {
    return note('could not be kept');
  }
}

/** Yields the commands of a chunk without its first `skipped` ones. A command is decoded when it is requested. */
export function* decode(
  entries: string,
  firstSeq: number,
  skipped = 0,
): Generator<LoggedCommand, void, undefined> {
  const stored = JSON.parse(entries) as StoredCommand[];
  for (let index = skipped; index < stored.length; index++)
    yield { seq: firstSeq + index, ...commandOf(stored[index] as StoredCommand) };
}

function commandOf(stored: StoredCommand): Omit<LoggedCommand, 'seq'> {
  const [at, method, path, status, durationMs, bodyJson, responseJson, locator, via] = stored;
  const body = jsonOf(bodyJson);
  const response = jsonOf(responseJson);
  const described = { method, path, route: routeOf(path), body };
  const error = errorOf(status, response);
  return {
    ...{ at, method, path, status, durationMs, body, response },
    name: nameOf(described),
    summary: summaryOf(described, locator ?? undefined),
    ...(via === undefined ? {} : { via }),
    ...(error === undefined ? {} : { error }),
  };
}

function bodyOf(seen: ObservedCommand, route: string, typed: TypedTexts): string | null {
  const given = seen.body;
  if (given === undefined || given === null) return null;
  if (given instanceof TooLarge) return tooLarge(given);
  const kept = JSON.stringify(maskBody(route, given, typed));
  return kept === '{}' ? null : bounded(kept);
}

function responseOf(seen: ObservedCommand, route: string, typed: TypedTexts): string | null {
  const text = seen.response();
  if (text === undefined || text === '') return null;
  if (text instanceof TooLarge) return tooLarge(text);
  const isAnswer = seen.status < 400;
  if (isAnswer && isUnkeptResponse(route, seen.body))
    return note(`answer of ${text.length} characters not kept`);
  const hideScript = isAnswer ? undefined : scriptMask(route, seen.body);
  if (hideScript === undefined && isPlain(text, typed)) return text;
  return bounded(maskedJson(text, typed, hideScript));
}

/**
 * Returns whether a response can be stored without parsing. Most responses are short and contain nothing to mask;
 * longer ones may contain base64 or have to be cut.
 */
function isPlain(json: string, typed: TypedTexts): boolean {
  return json.length <= SHORT && typed.isEmpty && looksHarmless(json);
}

function maskedJson(text: string, typed: TypedTexts, hideScript = (part: string) => part): string {
  let value: unknown;
  try {
    value = JSON.parse(text, (_, part) => (typeof part === 'string' ? hideScript(part) : part));
  } catch {
    value = hideScript(text);
  }
  return JSON.stringify(maskValue(value, typed));
}

/** Cuts a long JSON text. Call it after masking, because half a secret would not be recognized. */
function bounded(json: string): string {
  const { bytesOfPart } = LOG_BOUNDS;
  return json.length <= bytesOfPart ? json : `${json.slice(0, bytesOfPart)}... (${json.length} characters)`;
}

function tooLarge({ bytes }: TooLarge): string {
  return note(`${bytes} bytes not kept`);
}

function note(text: string): string {
  return JSON.stringify(`(${text})`);
}

function jsonOf(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * @returns the path after the session id, or the whole path if it contains no session id, in lower case and without a
 * trailing slash
 */
function routeOf(path: string): string {
  const match = /\/session\/[^/]*(\/.*)?$/i.exec(path);
  const found = match === null ? path : (match[1] ?? '');
  return found.replace(/\/$/, '').toLowerCase();
}
