const LONGEST_NAME = 255;
const LONGEST_ENDING = 32;
/** Control characters, line ends, and marks that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * What an uploaded file is called, from what the client says: the last part of a path, printable, at most 255
 * characters. For display and for the name a download suggests; it is never used as a path here.
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

/** The ending stays: drivers tell by it what an app is. */
function shortened(name: string): string {
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= LONGEST_ENDING ? name.slice(dot) : '';
  return `${name.slice(0, LONGEST_NAME - ending.length).replace(/[\uD800-\uDBFF]$/, '')}${ending}`;
}
