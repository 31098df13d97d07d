import { hasControl, oneLine } from '@svc/auth-core';
import { logger } from './appium.ts';
import type { ChangeableLogMessage, ObservableLog } from './appium-types.ts';

/** A line of a stack trace, from the line break before it. */
const STACK_FRAME = /\n {4}at [^\n]*(?::\d+:\d+|<anonymous>|native|index \d+)\)?(?: \{)?(?=\n|$)/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
const COLOUR = /\u001b\[\d+m/y;
/** Appium's own lines about a request, if it logs in colour. HTTP parsers let no escape character into these lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
const COLOURED_LINE = /^\u001b\[\d+m(?:-->|<--)/;

/** By Appium's log, of which a process has one. */
const installed = new WeakMap<ObservableLog, (logged: ChangeableLogMessage) => void>();

/**
 * Escapes the control characters in everything that Appium, its drivers and its plugins log. Appium logs some texts of
 * clients as they were sent, such as the id of a BiDi message; with a carriage return or an escape sequence in them, a
 * terminal shows a forged line. A line break stays in front of a line of a stack trace only, because a message does not
 * tell whether any other one is the writer's own or a client's.
 */
export function escapeLogLines(): void {
  const log = logger.getLogger('svc').unwrap() as unknown as ObservableLog;
  const escapeControls = (logged: ChangeableLogMessage): void => {
    if (hasControl(logged.prefix)) logged.prefix = oneLine(logged.prefix);
    if (hasControl(logged.message)) logged.message = escapedMessage(logged.message);
    escapeContext(log.asyncStorage.getStore());
  };
  const earlier = installed.get(log);
  if (earlier !== undefined) log.off('log', earlier);
  installed.set(log, escapeControls);
  log.prependListener('log', escapeControls);
}

function escapedMessage(message: string): string {
  const isColoured = COLOURED_LINE.test(message);
  return oneLine(message, (char, offset) => {
    if (char === '\n') return offset === message.length - 1 || startsAt(STACK_FRAME, message, offset);
    return isColoured && char === '\u001b' && startsAt(COLOUR, message, offset);
  });
}

/** What JSON lines show beside the message, a header among it. */
function escapeContext(context: Record<string, unknown> | undefined): void {
  for (const name in context) {
    const value = context[name];
    if (typeof value === 'string' && hasControl(value)) context[name] = oneLine(value);
  }
}

function startsAt(pattern: RegExp, text: string, offset: number): boolean {
  pattern.lastIndex = offset;
  return pattern.test(text);
}
