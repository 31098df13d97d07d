import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';

const hasProc = existsSync('/proc/self/stat');
const shell = /^-?(\S*\/)?(ba|da|z|k)?sh(\s|$)/;
const launcher = /^(\S*\/)?(node\s+)?(\S*\/)?(npm|npx|pnpm)(-cli)?(\.c?js)?(\s|$)/;

/**
 * Ends this process, as SIGTERM would, when one of the programs that started it (npx, pnpm and the shells between them)
 * has ended. This is necessary because on SIGTERM npx ends only its own shell, so that pnpm and its children keep
 * running.
 *
 * One request to stop can arrive several times: from the terminal, from pnpm and from this function. A repeated signal
 * never interrupts a clean shutdown, but handlers that were added with `on` receive it.
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

// This listener prevents the default action (ending immediately) after a program's own `once` listener has run. If
// there is no other listener, it does the default action itself.
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

/**
 * @returns the processes from the parent to the outermost package runner; empty if no package runner started this one
 */
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
