import { request } from '../../support/lab.ts';

/** A command with a number, by which logs and responses identify it. */
export interface CountedCommand {
  readonly number: number;
  readonly session: string;
  /** Status of the response, or null if there was none. */
  status: number | null;
  readonly sentAt: number;
  endedAt: number;
}

export interface Sender {
  /** Address of the server. */
  readonly url: string;
  readonly session: string;
  /** Returns the headers; called for each command. */
  readonly headers: () => Readonly<Record<string, string>>;
}

/** Pause between two commands of one sender. */
const PAUSE_MS = 25;
const ANSWER_MS = 30_000;

/** Clients that send numbered commands one after the other until they are stopped. */
export class CountedCommands {
  readonly all: CountedCommand[] = [];
  readonly #running: Promise<void>[] = [];
  #isStopped = false;
  #next: number;

  constructor(first: number) {
    this.#next = first;
  }

  start(sender: Sender): void {
    this.#running.push(this.#run(sender));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  async #run(sender: Sender): Promise<void> {
    while (!this.#isStopped) {
      await this.#send(sender);
      await new Promise((later) => setTimeout(later, PAUSE_MS));
    }
  }

  async #send({ url, session, headers }: Sender): Promise<void> {
    const number = this.#next++;
    const now = performance.now();
    const sent: CountedCommand = { number, session, status: null, sentAt: now, endedAt: now };
    this.all.push(sent);
    try {
      const answer = await request(`${url}/session/${session}/timeouts`, {
        method: 'POST',
        headers: headers(),
        json: { implicit: number },
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      await answer.arrayBuffer();
      sent.status = answer.status;
    } catch {
      // If there is no response, the status stays null.
    }
    sent.endedAt = performance.now();
  }
}

/** Counts how often each number reached the automation server, according to its log. */
export function runsIn(outputs: readonly string[]): Map<number, number> {
  const runs = new Map<number, number>();
  for (const output of outputs) {
    for (const [, text] of output.matchAll(/--> POST \S*\/timeouts [^\n]*"implicit":(\d+)/g)) {
      const number = Number(text);
      runs.set(number, (runs.get(number) ?? 0) + 1);
    }
  }
  return runs;
}
