const LONGEST = 256;

/** Escapes and shortens a text from a client for a log line, so that it has no line breaks or control characters. */
export function printable(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
  return cut.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
