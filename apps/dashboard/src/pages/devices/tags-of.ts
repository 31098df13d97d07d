/**
 * @returns the tags in a text with one tag per line, without duplicates, cut to the number and length that the API
 * accepts
 */
export function tagsOf(typed: string): string[] {
  const lines = typed.split('\n').map((line) => line.trim().slice(0, 64));
  return [...new Set(lines.filter((line) => line !== ''))].slice(0, 50);
}
