import type { AlignedCommands } from './align-commands.ts';

/**
 * Rendered line of a comparison, or a fold, which replaces consecutive equal lines. `from` is the index of the first
 * line.
 */
export type ShownLine =
  | { readonly kind: 'line'; readonly from: number; readonly line: AlignedCommands }
  | { readonly kind: 'fold'; readonly from: number; readonly count: number };

/** Number of equal lines that stay visible before and after a difference. */
const CONTEXT = 3;

/** Folds equal lines, except those near a difference, so that the differences are easy to find. */
export function foldLines(lines: readonly AlignedCommands[]): ShownLine[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ difference }, index) => {
    if (difference === 'same') return;
    isNear.fill(true, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  });
  const shown: ShownLine[] = [];
  lines.forEach((line, from) => {
    const last = shown.at(-1);
    if (isNear[from]) shown.push({ kind: 'line', from, line });
    else if (last?.kind === 'fold') shown[shown.length - 1] = { ...last, count: last.count + 1 };
    else shown.push({ kind: 'fold', from, count: 1 });
  });
  return shown;
}
