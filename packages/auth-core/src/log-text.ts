// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a log as they are.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** A text as one line of a log: a sender's line breaks and control characters are spelt out, so that they forge none. */
export function oneLine(text: string): string {
  return text.replace(CONTROL, spelt);
}

/** A character as it is written in place of itself. */
export function spelt(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
