import { REDACTED } from '@svc/auth-core';
import { LOG_BOUNDS, type LoggedCommand, type ObservedCommand, TooLarge } from './entry.ts';
import { looksHarmless, maskText, maskValue } from './mask.ts';
import { isUnkeptResponse, maskTyped } from './typed-text.ts';

/** Shorter ones would be found in everything. */
const SHORTEST_TYPED = 4;
const MOST_TYPED = 64;
const SHORT = 512;

/** As it stands in a chunk; body and response are texts that are JSON unless they were cut. */
type StoredCommand = readonly [
  at: number,
  method: string,
  path: string,
  status: number,
  durationMs: number,
  body: string | null,
  response: string | null,
];

/** What was typed in one session, to be masked wherever the phone shows it again. */
export class TypedTexts {
  /** As they stand inside JSON. */
  #texts: string[] = [];

  add(texts: readonly string[]): void {
    for (const text of texts) {
      const plain = text.trim();
      if (plain.length < SHORTEST_TYPED || plain.length > LOG_BOUNDS.bytesSeen) continue;
      const escaped = JSON.stringify(plain).slice(1, -1);
      if (!this.#texts.includes(escaped)) this.#texts.push(escaped);
    }
    this.#texts = this.#texts.slice(-MOST_TYPED);
  }

  mask(json: string): string {
    let masked = json;
    for (const text of this.#texts) if (masked.includes(text)) masked = masked.replaceAll(text, REDACTED);
    return masked;
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }
}

/** A command as JSON for its chunk: masked and bounded. */
export function encode(seen: ObservedCommand, typed: TypedTexts): string {
  const route = routeOf(seen.path);
  const body = whatCanBeKept(() => bodyOf(seen, route, typed));
  const response = whatCanBeKept(() => responseOf(seen, route, typed));
  const stored: StoredCommand = [
    seen.at,
    seen.method,
    maskText(seen.path),
    seen.status,
    seen.durationMs,
    body,
    response,
  ];
  return JSON.stringify(stored);
}

/** One command that cannot be looked at, as it is nested too deep, does not cost all others their log. */
function whatCanBeKept(part: () => string | null): string | null {
  try {
    return part();
  } catch {
    return note('could not be kept');
  }
}

export function decode(entries: string, firstSeq: number): LoggedCommand[] {
  return (JSON.parse(entries) as StoredCommand[]).map(
    ([at, method, path, status, durationMs, body, response], index) => ({
      seq: firstSeq + index,
      at,
      method,
      path,
      status,
      durationMs,
      body: jsonOf(body),
      response: jsonOf(response),
    }),
  );
}

function bodyOf(seen: ObservedCommand, route: string, typed: TypedTexts): string | null {
  const given = seen.body;
  if (given === undefined || given === null) return null;
  if (given instanceof TooLarge) return tooLarge(given);
  const { body, texts } = maskTyped(route, given);
  typed.add(texts);
  const plain = JSON.stringify(body) as string | undefined;
  if (plain === undefined || plain === '{}') return null;
  return isPlain(plain, typed) ? plain : bounded(typed.mask(JSON.stringify(maskValue(body))));
}

function responseOf(seen: ObservedCommand, route: string, typed: TypedTexts): string | null {
  const text = seen.response();
  if (text === undefined || text === '') return null;
  if (text instanceof TooLarge) return tooLarge(text);
  const isAnswer = seen.status < 400;
  if (isAnswer && isUnkeptResponse(route, seen.body))
    return note(`answer of ${text.length} characters not kept`);
  if (isPlain(text, typed)) return text;
  return bounded(typed.mask(maskedJson(text)));
}

/** Most commands: short, and nothing in it to mask. Longer texts may hold base64 or have to be cut. */
function isPlain(json: string, typed: TypedTexts): boolean {
  return json.length <= SHORT && typed.isEmpty && looksHarmless(json);
}

function maskedJson(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = text;
  }
  return JSON.stringify(maskValue(value));
}

/** Cut after masking: a secret cut in two is no longer known. */
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

/** What follows the session id, in lower case, without a slash at its end. */
function routeOf(path: string): string {
  const found = /\/session\/[^/]*(\/.*)?$/i.exec(path)?.[1] ?? '';
  return found.replace(/\/$/, '').toLowerCase();
}
