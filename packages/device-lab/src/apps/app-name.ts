const LONGEST_NAME = 255;
const LONGEST_ENDING = 32;
/** Control characters, line ends, and marks that change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Makes the name of an uploaded file from the name that the client sent: the last part of a path, printable, with at
 * most 255 characters. It is used for display and as the suggested name of a download, never as a path.
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

/** Keeps the ending, by which drivers recognize the kind of an app. */
function shortened(name: string): string {
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= LONGEST_ENDING ? name.slice(dot) : '';
  return `${name.slice(0, LONGEST_NAME - ending.length).replace(/[\uD800-\uDBFF]$/, '')}${ending}`;
}
