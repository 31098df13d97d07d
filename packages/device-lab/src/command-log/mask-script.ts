import { isRecord } from '@svc/contract';
import { REDACTED } from '../capabilities/redacted.ts';
import { isHiddenScript } from './kept-fields.ts';

/** Length of the parts of a script that an error message must not contain. */
const PART = 12;
/** Minimum length of a script that is searched. A shorter one would match too much other text. */
const SHORTEST = 4;
/** Only this many characters at the beginning of a script are searched, because the search takes time. */
const SEARCHED = 16 * 1024;

/**
 * Returns a function that masks the texts of an error response to a command whose body has a script that the log hides.
 * Drivers quote the script, or a part of it, in their error messages. A text that contains a part is hidden completely.
 * @param route the path after the session id, in lower case
 * @returns undefined if the command has no such script
 */
export function scriptMask(route: string, body: unknown): ((text: string) => string) | undefined {
  const script = isRecord(body) && typeof body.script === 'string' ? body.script.trim() : '';
  if (script.length < SHORTEST || !isHiddenScript(route, script)) return undefined;
  const parts = new Set<string>();
  const searched = withoutSpaces(script.slice(0, SEARCHED));
  for (let at = 0; at + PART <= searched.length; at++) parts.add(searched.slice(at, at + PART));
  return (text) => {
    if (text.includes(script)) return REDACTED;
    const plain = withoutSpaces(text);
    for (let at = 0; at + PART <= plain.length; at++)
      if (parts.has(plain.slice(at, at + PART))) return REDACTED;
    return text;
  };
}

/** Drivers indent and join lines, and escape quotes, so these characters are not compared. */
function withoutSpaces(text: string): string {
  return text.replace(/[\s\\"']+/g, '');
}
