import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { WebSocket } from 'ws';
import { ends } from '../../support/ends.ts';

/**
 * Debian's Firefox over WebDriver BiDi, which it supports natively. playwright-core requires an emulation command that
 * this release does not have, and geckodriver is in no Debian package, nor in an npm package that needs no download.
 */

export interface Firefox {
  goto(url: string): Promise<void>;
  /** @returns the value of an expression in the page, awaited if it is a promise */
  evaluate(expression: string): Promise<unknown>;
  /** @returns errors of the console and of scripts since the last call, including policy violations */
  takeErrors(): string[];
}

interface Answer {
  readonly id?: number;
  readonly type: string;
  readonly method?: string;
  readonly message?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the caller of a command knows the shape of its result
  readonly result?: any;
  readonly params?: { readonly level: string; readonly text: string };
}

const running: { child: ChildProcess; profile: string }[] = [];
ends.push(async () => {
  for (const { child, profile } of running.splice(0)) {
    await new Promise((gone) => child.once('close', gone).kill('SIGKILL'));
    rmSync(profile, { recursive: true, force: true });
  }
});

export async function startFirefox(): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'svc-firefox-'));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const child = spawn(firefoxAt(), args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: profile },
  });
  running.push({ child, profile });
  const connection = await Connection.open(`${await addressOf(child)}/session`);
  await connection.send('session.new', { capabilities: {} });
  await connection.send('session.subscribe', { events: ['log.entryAdded'] });
  await connection.send('script.addPreloadScript', { functionDeclaration: LOG_VIOLATIONS });
  const { context } = await connection.send('browsingContext.create', { type: 'tab' });
  return {
    takeErrors: () => connection.errors.splice(0),
    goto: async (url) =>
      void (await connection.send('browsingContext.navigate', { context, url, wait: 'complete' })),
    evaluate: async (expression) => {
      const target = { context };
      const outcome = await connection.send('script.evaluate', { expression, target, awaitPromise: true });
      if (outcome.type !== 'success') throw new Error(outcome.exceptionDetails?.text);
      return outcome.result.value;
    },
  };
}

/** Firefox does not log policy violations, so the page does. */
const LOG_VIOLATIONS = `() => addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
  console.error('policy: ' + effectiveDirective + ' blocked ' + blockedURI))`;

class Connection {
  readonly errors: string[] = [];
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (text) => this.#receive(JSON.parse(String(text))));
  }

  static open(address: string): Promise<Connection> {
    const socket = new WebSocket(address);
    return new Promise((opened, failed) => {
      socket.once('open', () => opened(new Connection(socket)));
      socket.once('error', failed);
    });
  }

  /** @returns the result of the command */
  async send(method: string, params: object): Promise<Answer['result']> {
    this.#last += 1;
    const id = this.#last;
    const answer = await new Promise<Answer>((answered) => {
      this.#waiting.set(id, answered);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
    if (answer.type === 'error') throw new Error(`${method}: ${answer.message}`);
    return answer.result;
  }

  #receive(answer: Answer): void {
    if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer);
    else if (answer.method === 'log.entryAdded' && answer.params?.level === 'error')
      this.errors.push(answer.params.text);
  }
}

function addressOf({ stderr }: ChildProcess): Promise<string> {
  let text = '';
  return new Promise((found, failed) => {
    stderr?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      const address = /WebDriver BiDi listening on (ws:\S+)/.exec(text)?.[1];
      if (address !== undefined) found(address);
    });
    stderr?.once('close', () => failed(new Error(`Firefox ended:\n${text}`)));
  });
}

function firefoxAt(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders.map((folder) => join(folder, 'firefox-esr')).find(isProgram);
  if (found === undefined)
    throw new Error('this test needs the Debian package firefox-esr: apt-get install firefox-esr');
  return found;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
