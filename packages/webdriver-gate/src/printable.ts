const LONGEST = 256;

/** A sender's text as it may stand in a log line: bounded, and without a line break or control character of its own. */
export function printable(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
  return cut.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
