import { isRecord, REDACTED } from '@svc/auth-core';

/*
 * Text typed into a phone may be a password, and nothing says which: it is never kept (specification 5.5.3 says the
 * automation server's own log has it; ours must not). Only this file knows which commands carry such text.
 */

const TYPES = /\/(?:value|replace_value|keys|text|send_keys|type|send_sms|push_file)$|clipboard/;
const SCRIPT = /^\/execute(?:\/sync|\/async|_async)?$/;
const TYPED_FIELD = /^(?:texts?|contents?|values?|keys|input|data|payload|args|command)$/i;
/** Shorter arguments of a script are more likely names than what somebody typed. */
const WORD = 6;
/** Deeper than any honest argument; what was typed below is not known again. */
const DEEPEST = 32;
/** Our own commands say things that are meant to be read. */
const OWN_SCRIPT = /^svc:\s*[A-Za-z][\w.-]*\s*$/;

const UNKEPT_ANSWER =
  /\/(?:source|screenshot|cookie|log|pull_file|pull_folder|stop_recording_screen)$|\/cookie\/|\/log\/|clipboard/;
const UNKEPT_SCRIPT = /clipboard|pull|log|screenshot|source|record|shell|cookie|pasteboard/i;

export interface Typed {
  /** The body with typed text masked. */
  readonly body: unknown;
  /** What was typed, to be known again when the phone shows it. */
  readonly texts: readonly string[];
}

/** `route`: the path after the session id, in lower case. */
export function maskTyped(route: string, body: unknown): Typed {
  const texts: string[] = [];
  if (!isRecord(body)) return { body, texts };
  if (TYPES.test(route)) return { body: hidden(body, texts), texts };
  if (route === '/actions') return { body: { ...body, actions: hiddenKeys(body.actions, texts) }, texts };
  if (SCRIPT.test(route) && !OWN_SCRIPT.test(String(body.script))) {
    return { body: { ...body, args: hiddenArguments(body.args, texts) }, texts };
  }
  return { body, texts };
}

/** Whether the answer is the content of the phone itself, or a file of it. */
export function isUnkeptResponse(route: string, body: unknown): boolean {
  if (UNKEPT_ANSWER.test(route)) return true;
  return SCRIPT.test(route) && isRecord(body) && UNKEPT_SCRIPT.test(String(body.script).slice(0, 256));
}

function hidden(body: Record<string, unknown>, texts: string[]): unknown {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      // WebDriver's own ids and numbers are no text.
      if (name === 'id' || (typeof value !== 'string' && typeof value !== 'object')) return [name, value];
      noteTexts(value, texts);
      return [name, value === null ? null : REDACTED];
    }),
  );
}

/** Keys pressed one by one spell a text as well. */
function hiddenKeys(sources: unknown, texts: string[]): unknown {
  if (!Array.isArray(sources)) return sources;
  return sources.map((source) => {
    if (!isRecord(source) || !Array.isArray(source.actions)) return source;
    let text = '';
    const actions = source.actions.map((action) => {
      if (!isRecord(action) || typeof action.value !== 'string') return action;
      if (action.type === 'keyDown') text += action.value;
      return { ...action, value: REDACTED };
    });
    noteTexts(text, texts);
    return { ...source, actions };
  });
}

function hiddenArguments(args: unknown, texts: string[]): unknown {
  if (!Array.isArray(args)) return args;
  return args.map((argument) => {
    if (typeof argument !== 'string') return hiddenFields(argument, texts, 0);
    noteTexts([argument], texts);
    return REDACTED;
  });
}

function hiddenFields(value: unknown, texts: string[], depth: number): unknown {
  if (depth > DEEPEST) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => hiddenFields(item, texts, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (!TYPED_FIELD.test(name) || inner === null || typeof inner === 'number') {
        return [name, hiddenFields(inner, texts, depth + 1)];
      }
      noteTexts(inner, texts);
      return [name, REDACTED];
    }),
  );
}

/** Of a list, its parts and what they spell together. */
function noteTexts(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    texts.push(value);
  } else if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    const words = value.filter((item) => item.length >= WORD);
    texts.push(...words, ...(value.length > 1 ? [value.join('')] : []));
  }
}
