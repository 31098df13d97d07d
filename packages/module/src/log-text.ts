/*
 * Characters that forge or hide text in a terminal or a log file: C0 and C1 control characters, DEL, the line
 * separators of Unicode, and its marks that change the direction of text.
 */

/** Unsafe characters that JSON escapes, which are the C0 control characters. */
const ESCAPED_BY_JSON = String.raw`\u0000-\u001f`;
const LEFT_BY_JSON = String.raw`\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`;

const UNSAFE = new RegExp(`[${ESCAPED_BY_JSON}${LEFT_BY_JSON}]`);
const EVERY_UNSAFE = new RegExp(UNSAFE, 'g');
const EVERY_LEFT_BY_JSON = new RegExp(`[${LEFT_BY_JSON}]`, 'g');

/** @returns whether the text has a character that must be escaped before the text is logged */
export function hasControl(text: string): boolean {
  return UNSAFE.test(text);
}

/**
 * Escapes control characters and line breaks, so that a client whose text is logged cannot forge a line of the log.
 *
 * @param keeps returns true if the character at an offset stays unescaped, because the client cannot have written it
 */
export function oneLine(text: string, keeps?: (char: string, offset: number) => boolean): string {
  return text.replace(EVERY_UNSAFE, (char, offset: number) => (keeps?.(char, offset) ? char : escaped(char)));
}

/** Escapes the control characters that JSON does not escape, in a text that will be written as JSON. */
export function jsonText(text: string): string {
  return text.replace(EVERY_LEFT_BY_JSON, escaped);
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
