/** One command of a command line. */
export interface SimpleCommand {
  readonly words: readonly string[];
  /** How the command before it must have ended so that this one runs. */
  readonly after: 'any' | 'success' | 'failure';
  readonly isErrorHidden: boolean;
}

const TOKEN =
  /(?<joint>&&|\|\||;|\n)|(?<pipe>\|)|(?<redirect>\d?>{1,2}\s*(?:&\d|[^\s;&|]+))|(?<word>(?:[^\s;&|>'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*"|&(?!&))+)/gs;
const AFTER = { '&&': 'success', '||': 'failure', ';': 'any', '\n': 'any' } as const;

/**
 * Parses a command line as far as scripted phones need it: words with quotes, `;`, `&&`, `||`, and redirections, which
 * are dropped. A word `|` is kept, so that a pipe is reported as an unknown command.
 */
export function parseCommandLine(text: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  let isErrorHidden = false;
  let after: SimpleCommand['after'] = 'any';
  const end = () => {
    if (words.length > 0) commands.push({ words, after, isErrorHidden });
    words = [];
    isErrorHidden = false;
  };
  for (const { groups = {} } of text.matchAll(TOKEN)) {
    if (groups.joint !== undefined) {
      end();
      after = AFTER[groups.joint as keyof typeof AFTER];
    } else if (groups.redirect !== undefined) isErrorHidden ||= groups.redirect.startsWith('2>');
    else words.push(groups.pipe ?? unquoted(groups.word ?? ''));
  }
  end();
  return commands;
}

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs, (_all, single, double, escaped) => {
    return single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped;
  });
}
