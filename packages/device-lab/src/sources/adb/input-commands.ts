import { InputUnsupported, type ScreenSize } from '../direct-input.ts';

/** Maximum number of characters in one command, far below the 4,096 bytes that an old adbd accepts. */
const MOST_CHARACTERS = 500;
const LARGEST_SCREEN = 100_000;

/** Parts of a text: a line end, a tab, or characters that `input text` can type. */
const PART = /\r\n|[\r\n]|\t|[ -~]+/gy;
const KEYS: Readonly<Record<string, number>> = { '\n': 66, '\r': 66, '\r\n': 66, '\t': 61 };

/**
 * Returns the shell commands that type a text on Android. `input text` types only the characters of ASCII, because it
 * sends the keys of a virtual keyboard. Throws `InputUnsupported` if the text has another character. Line ends and tabs
 * are keys of their own.
 *
 * The text is in single quotes, in which a POSIX shell gives no character a meaning but the quote itself, which is
 * written as `'\''`. `input text` itself replaces `%s` by a blank, so a text with `%s` is typed in two commands.
 */
export function textCommands(text: string): string[] {
  const parts = text.match(PART) ?? [];
  if (parts.join('').length !== text.length)
    throw new InputUnsupported(
      'Without a session, an Android phone accepts only characters of ASCII. Start remote control with a session, or set the clipboard in one.',
    );
  return parts.flatMap((part) => {
    const code = KEYS[part];
    if (code !== undefined) return [`input keyevent ${code}`];
    return pieces(part).map((piece) => `input text '${piece.replaceAll("'", "'\\''")}'`);
  });
}

/** Splits a text into pieces of limited length, none of which contains `%s`. */
function pieces(text: string): string[] {
  return text
    .split(/(?<=%)(?=s)/)
    .flatMap((piece) =>
      Array.from({ length: Math.ceil(piece.length / MOST_CHARACTERS) }, (_, index) =>
        piece.slice(index * MOST_CHARACTERS, (index + 1) * MOST_CHARACTERS),
      ),
    );
}

/** @returns the size in a line `cur=1080x2400` of `dumpsys window displays`, or null if there is none */
export function sizeOfDisplays(output: string): ScreenSize | null {
  const [, width, height] = /cur=(\d{1,6})x(\d{1,6})/.exec(output) ?? [];
  const size = { width: Number(width), height: Number(height) };
  return isLength(size.width) && isLength(size.height) ? size : null;
}

function isLength(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= LARGEST_SCREEN;
}
