import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';

const hasProc = existsSync('/proc/self/stat');
const shell = /^-?(\S*\/)?(ba|da|z|k)?sh(\s|$)/;
const launcher = /^(\S*\/)?(node\s+)?(\S*\/)?(npm|npx|pnpm)(-cli)?(\.c?js)?(\s|$)/;

/**
 * Ends this process as SIGTERM would when one of the programs that started it (npx, pnpm and the shells
 * between them) is gone: npx ends its own shell on SIGTERM and leaves pnpm and everything below it running.
 *
 * One request to stop can then arrive more than once (from the terminal, from pnpm, from this watch). A repeat never
 * interrupts a clean shutdown, but handlers set with `on` see it.
 */
export function followLaunchers() {
  guardRepeats();
  const chain = launchers();
  if (chain.length < 2) return;
  const timer = setInterval(
    () => {
      if (intact(chain)) return;
      clearInterval(timer);
      process.kill(process.pid, 'SIGTERM');
    },
    hasProc ? 200 : 1000,
  );
  timer.unref();
}

// A listener of ours keeps the default (end at once) from coming back when a program's own `once` is spent;
// while there is no other listener, the default is what we do.
function guardRepeats() {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (stopping) return;
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
      stopping = true;
    });
  }
}

/** The processes from our parent up to the outermost package runner; empty when none started us. */
function launchers() {
  const seen = [];
  let length = 0;
  for (let pid = process.ppid; pid > 1; ) {
    const found = look(pid);
    if (!found) break;
    const isLauncher = launcher.test(found.command);
    if (!isLauncher && !shell.test(found.command)) break;
    seen.push(pid);
    if (isLauncher) length = seen.length;
    pid = found.parent;
  }
  return seen.slice(0, length);
}

function intact(chain) {
  if (process.ppid !== chain[0]) return false;
  return chain.every((pid, index) => {
    const found = look(pid);
    return found?.alive && (index === chain.length - 1 || found.parent === chain[index + 1]);
  });
}

function look(pid) {
  try {
    return hasProc ? lookInProc(pid) : lookWithPs(pid);
  } catch {
    return undefined;
  }
}

function lookInProc(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  return { alive: state !== 'Z', parent: Number(parent), command };
}

function lookWithPs(pid) {
  const line = execFileSync('ps', ['-o', 'ppid=,state=,command=', '-p', String(pid)], { encoding: 'utf8' });
  const [, parent, state, command] = /^\s*(\d+)\s+(\S+)\s+(.*)/.exec(line) ?? [];
  return command === undefined
    ? undefined
    : { alive: !state.startsWith('Z'), parent: Number(parent), command };
}
