const LONGEST_NAME = 255;
const LONGEST_ENDING = 32;
/**
 * Pattern for control characters, line ends, and marks that change the direction of text. They could disguise a name.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Derives the name of an uploaded file from the name that the client sent: the last part of a path, printable, with at
 * most 255 characters. The name is displayed and suggested for downloads, but never used as a path.
 */
export function appName(given: string | undefined): string {
  const last = (given ?? '')
    .replace(/\p{Cs}/gu, '\uFFFD')
    .split(/[\\/]/)
    .at(-1) as string;
  const name = last.replace(UNPRINTABLE, '').trim();
  if (/^\.*$/.test(name)) return 'app';
  return name.length <= LONGEST_NAME ? name : shortened(name);
}

/** Shortens a name but preserves its ending, because drivers recognize the type of an app by the ending. */
function shortened(name: string): string {
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= LONGEST_ENDING ? name.slice(dot) : '';
  return `${name.slice(0, LONGEST_NAME - ending.length).replace(/[\uD800-\uDBFF]$/, '')}${ending}`;
}
