const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns a duration in words, rounded down to its two largest units, such as `1 hour 30 minutes`. */
export function inWords(ms: number): string {
  let rest = Math.max(1, Math.floor(ms / 1000));
  const parts: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? '' : 's'}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ');
}

/** Returns the HTML document of a mail. `title` and `content` are HTML, so texts in them must be escaped. */
export function mailPage(title: string, content: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>` +
    '<body style="color:#1f2328;font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:34em;padding:24px">' +
    `${content}</body></html>`
  );
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
