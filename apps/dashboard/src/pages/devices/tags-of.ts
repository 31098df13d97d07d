/** One a line, each once, as many and as long as the API takes. */
export function tagsOf(typed: string): string[] {
  const lines = typed.split('\n').map((line) => line.trim().slice(0, 64));
  return [...new Set(lines.filter((line) => line !== ''))].slice(0, 50);
}
