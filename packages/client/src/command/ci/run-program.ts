import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Environment } from '../../unusable-setting.ts';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a program with the standard streams of this process, and forwards signals to it. Rejects if the program cannot
 * be started.
 * @param program name and arguments; no shell interprets them, except on Windows, where `npm` is a script
 * @returns the exit code of the program, or 128 plus the number of the signal that ended it
 */
export function runProgram([name = '', ...args]: readonly string[], env: Environment): Promise<number> {
  return new Promise((resolve, reject) => {
    const shell = process.platform === 'win32';
    const child = spawn(name, args, { env, stdio: 'inherit', shell });
    const forward = (signal: NodeJS.Signals) => child.kill(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    const settled = () => {
      for (const signal of FORWARDED) process.off(signal, forward);
    };
    child.once('error', (error) => {
      settled();
      reject(new Error(`${name} could not be started: ${error.message}`));
    });
    child.once('exit', (code, signal) => {
      settled();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
