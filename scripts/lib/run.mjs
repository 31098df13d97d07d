import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end. A signal to this process is passed on. With `quiet`, output is held back and shown on
 * standard error only if the program fails.
 * @returns the exit code, which is 128 plus the number of the signal if one ended the program, as in a shell
 */
function run(command, args, { env = {}, cwd = '.', quiet = false } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(command, args, { cwd: `${root}${cwd}`, env: { ...process.env, ...env }, stdio });
    const held = [];
    child.stdout?.on('data', (chunk) => held.push(chunk));
    child.stderr?.on('data', (chunk) => held.push(chunk));

    let passedOn;
    const passOn = (signal) => {
      passedOn = signal;
      child.kill(signal);
    };
    for (const signal of signals) process.on(signal, passOn);

    child.on('error', reject);
    child.on('close', (code, signal) => {
      for (const name of signals) process.off(name, passOn);
      const ended = signal ?? passedOn;
      const status = ended ? 128 + constants.signals[ended] : code;
      if (quiet && status !== 0 && !ended) process.stderr.write(Buffer.concat(held));
      resolve(status);
    });
  });
}

/** Runs a program that the package in `options.cwd`, by default the root, installs in `node_modules/.bin`. */
export function runBin(name, args, options = {}) {
  return run(`${root}${options.cwd ?? '.'}/node_modules/.bin/${name}`, args, options);
}
