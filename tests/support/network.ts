import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';

/** Prefix for commands that need root, on a machine where the tests may use sudo. */
const AS_ROOT = process.getuid?.() === 0 ? [] : ['sudo', '-n'];

export function runAsRoot(...command: string[]): string {
  const [program = '', ...args] = [...AS_ROOT, ...command];
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** A network for a test, in which the test has the address `10.231.<number>.1`. */
export class Network {
  readonly #id = randomBytes(3).toString('hex');
  readonly #prefix = `10.231.${1 + (process.pid % 250)}`;
  readonly #names = new Map<string, string>();

  constructor() {
    runAsRoot('ip', 'netns', 'add', this.#namespace('switch'));
    runAsRoot('ip', '-n', this.#namespace('switch'), 'link', 'add', 'bridge0', 'type', 'bridge');
    runAsRoot('ip', '-n', this.#namespace('switch'), 'link', 'set', 'bridge0', 'up');
    this.#plug('test', null);
  }

  #namespace(name: string): string {
    return `svc-${this.#id}-${name}`;
  }

  add(name: string): void {
    runAsRoot('ip', 'netns', 'add', this.#namespace(name));
    runAsRoot('ip', '-n', this.#namespace(name), 'link', 'set', 'lo', 'up');
    this.#plug(name, this.#namespace(name));
  }

  /** A null namespace means that of the test. */
  #plug(name: string, namespace: string | null): void {
    const address = `${this.#prefix}.${this.#names.size + 1}`;
    this.#names.set(name, address);
    const [inside, outside] = [`v${this.#id}${this.#names.size}`, `p${this.#names.size}`];
    runAsRoot(
      'ip',
      'link',
      'add',
      inside,
      'type',
      'veth',
      'peer',
      'name',
      outside,
      'netns',
      this.#namespace('switch'),
    );
    const at = namespace === null ? [] : ['-n', namespace];
    if (namespace !== null) runAsRoot('ip', 'link', 'set', inside, 'netns', namespace);
    runAsRoot('ip', ...at, 'address', 'add', `${address}/24`, 'dev', inside);
    runAsRoot('ip', ...at, 'link', 'set', inside, 'up');
    runAsRoot('ip', '-n', this.#namespace('switch'), 'link', 'set', outside, 'master', 'bridge0', 'up');
  }

  addressOf(name: string): string {
    return this.#names.get(name) as string;
  }

  get hosts(): string {
    return [
      '127.0.0.1 localhost',
      ...[...this.#names].map(([name, address]) => `${address} ${name}`),
      '',
    ].join('\n');
  }

  /** @returns the prefix of a command that runs in this namespace */
  enter(name: string): string[] {
    return [...AS_ROOT, 'ip', 'netns', 'exec', this.#namespace(name)];
  }

  /** Cuts the cable: no packets arrive, and connections are not closed. */
  cut(name: string): void {
    this.#setLink(name, 'down');
  }

  heal(name: string): void {
    this.#setLink(name, 'up');
  }

  #setLink(name: string, state: 'up' | 'down'): void {
    const port = `p${[...this.#names.keys()].indexOf(name) + 1}`;
    runAsRoot('ip', '-n', this.#namespace('switch'), 'link', 'set', port, state);
  }

  remove(): void {
    for (const name of [...this.#names.keys(), 'switch']) {
      if (name !== 'test') runAsRoot('ip', 'netns', 'delete', this.#namespace(name));
    }
  }
}
