import type { LoggedCommand } from './align-commands.ts';
import { commandTitle } from './command-title.ts';

export interface CommandFilter {
  readonly text: string;
  readonly onlyFailed: boolean;
}

/**
 * @returns the commands that match the filter. A command matches the text of the filter if its row on the page
 * contains the text in any letter case.
 */
export function filterCommands(
  rows: readonly LoggedCommand[],
  { text, onlyFailed }: CommandFilter,
): readonly LoggedCommand[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '' && !onlyFailed) return rows;
  return rows.filter((row) => (!onlyFailed || isFailed(row)) && searched(row).includes(wanted));
}

export function isFailed({ status }: LoggedCommand): boolean {
  return status >= 400;
}

function searched({ name, summary, error, method, path }: LoggedCommand): string {
  return [commandTitle(name), name, summary, error?.code, error?.message, method, path]
    .join('\n')
    .toLowerCase();
}
