import type { AlignedCommands } from './align-commands.ts';

/** Lines of a comparison as they are drawn: a run of equal ones is one fold. `from`: index of its first line. */
export type ShownLine =
  | { readonly kind: 'line'; readonly from: number; readonly line: AlignedCommands }
  | { readonly kind: 'fold'; readonly from: number; readonly count: number };

/** Equal lines beside a difference stay in sight. */
const CONTEXT = 3;

/** With equal lines far from any difference folded. */
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
