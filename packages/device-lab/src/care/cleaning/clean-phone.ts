import { randomBytes } from 'node:crypto';
import { clipboardCommand, planCleaning } from './cleaning-plan.ts';
import {
  contentCommand,
  LARGEST_CONTENT,
  type PhoneContent,
  type ReadContent,
  readContent,
} from './phone-content.ts';

/** Runs commands in the shell of a phone. */
export interface PhoneShell {
  /** @returns the output, at most `most` bytes. Rejects if the phone does not carry out the command in time. */
  run(udid: string, command: string, limits: { readonly most: number; readonly ms: number }): Promise<string>;
}

/** Result of a cleaning. */
export interface Cleaned {
  readonly removed: readonly string[];
  /** What is still on the phone, or null if it is clean. */
  readonly left: string | null;
}

const READ_MS = 15_000;
const COMMAND_MS = 60_000;
const LARGEST_ANSWER = 4_096;
/** A further round removes what was not read before, or what a program of the last user wrote meanwhile. */
const MOST_ROUNDS = 5;
const MOST_REMOVED = 100;
const LONGEST_NAME = 300;

/** Reads what is on a phone. Rejects if the phone does not tell it. */
export async function contentOf(
  shell: PhoneShell,
  udid: string,
  mode: 'apps' | 'data',
  ms = READ_MS,
): Promise<ReadContent> {
  const mark = `svc${randomBytes(12).toString('hex')}`;
  const output = await shell.run(udid, contentCommand(mode, mark), { most: LARGEST_CONTENT, ms });
  const content = readContent(mode, mark, output);
  if (content === undefined) throw new Error('the phone did not tell what is on it');
  return content;
}

/** Removes what was not on a phone before, and looks again until nothing is left or nothing changes any more. */
export async function cleanPhone(
  shell: PhoneShell,
  udid: string,
  mode: 'apps' | 'data',
  before: PhoneContent,
): Promise<Cleaned> {
  const removed = new Set<string>();
  let last = '';
  for (let round = 0; ; round += 1) {
    const now = await contentOf(shell, udid, mode);
    const plan = planCleaning(before, now);
    if (round === 0 && mode === 'data') {
      const clipboard = clipboardCommand(now.apiLevel);
      if (clipboard !== null) await shell.run(udid, clipboard, { most: LARGEST_ANSWER, ms: READ_MS });
    }
    const left = plan.removed.map((name) => name.slice(0, LONGEST_NAME));
    const gone = [...removed].filter((name) => !left.includes(name)).slice(0, MOST_REMOVED);
    if (left.length === 0 && now.isComplete) return { removed: gone, left: null };
    const key = plan.commands.join('\n');
    if (round === MOST_ROUNDS || key === last) return { removed: gone, left: left[0] ?? 'too many files' };
    last = key;
    for (const name of left) if (removed.size < 2 * MOST_REMOVED) removed.add(name);
    for (const command of plan.commands)
      await shell.run(udid, command, { most: LARGEST_ANSWER, ms: COMMAND_MS });
  }
}
