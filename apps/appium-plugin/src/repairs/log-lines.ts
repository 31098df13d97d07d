import { hasControl, oneLine } from '@svc/module';
import { logger } from '../appium.ts';
import type { ChangeableLogMessage, ObservableLog } from '../appium-types.ts';

/** Matches one line of a stack trace, including the line break before it. */
const STACK_FRAME = /\n {4}at [^\n]*(?::\d+:\d+|<anonymous>|native|index \d+)\)?(?: \{)?(?=\n|$)/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: color codes begin with the escape character.
const COLOUR = /\u001b\[\d+m/y;
/**
 * Matches the lines that Appium writes about a request if it logs in color. The color codes in these lines are Appium's
 * own: a client cannot add any, because HTTP parsers refuse escape characters.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: color codes begin with the escape character.
const COLOURED_LINE = /^\u001b\[\d+m(?:-->|<--)/;

/**
 * Installed listener of each log. A process has one Appium log, so a second server in the process replaces the listener
 * of the first instead of escaping every line twice.
 */
const installed = new WeakMap<ObservableLog, (logged: ChangeableLogMessage) => void>();

/**
 * Escapes the control characters in everything that Appium, its drivers and its plugins log. Appium logs some texts of
 * clients unchanged, such as the id of a BiDi message, so a client could send a carriage return or an escape sequence
 * that makes a terminal show a forged line. A line break within a message stays only before a line of a stack trace,
 * because any other line break may come from a client.
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

/**
 * Escapes the facts about the request that JSON log lines contain beside the message, because one of these facts is the
 * value of a request header.
 */
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
