import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end and gives its exit code. A signal that reaches this process is passed on;
 * a program ended by one gives 128 plus its number, as a shell does.
 * With `quiet`, output is held back and shown on standard error only when the program fails.
 */
function run(command, args, { env = {}, quiet = false } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env }, stdio });
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

/** Runs the program a package of this workspace installs under `node_modules/.bin`. */
export function runBin(name, args, options) {
  return run(`${root}node_modules/.bin/${name}`, args, options);
}
