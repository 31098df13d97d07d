import type { WebSocket as Socket } from 'ws';

const ANSWER_MS = 15_000;
const TEXT = { binary: false } as const;

/** An answer of the lab. */
export type Answer = Record<string, unknown>;

interface Question {
  /** Name of the answer's field: that of the question, or `ok` for a service. */
  readonly field: string;
  settle(then: (question: { done(answer: Answer): void; failed(error: Error): void }) => void): void;
}

/**
 * The questions of one socket that the lab has not answered yet. Several can be open at the same time, because programs
 * start services at the same time and each needs a ticket of its own.
 */
export class Questions {
  readonly #socket: Socket;
  #open: Question[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (text, isBinary) => {
      const answer = isBinary ? undefined : recordOf(String(text));
      if (answer !== undefined && !('accept' in answer)) this.#answered(answer);
    });
    socket.once('close', (code, reason) => {
      const why = String(reason) || `the lab closed the connection (${code})`;
      for (const each of this.#open) each.settle(({ failed }) => failed(new Error(why)));
    });
  }

  /** Sends a message, and resolves to the lab's answer. */
  ask(message: object): Promise<Answer> {
    if (this.#socket.readyState !== this.#socket.OPEN)
      return Promise.reject(new Error('the connection to the lab has closed'));
    return new Promise((done, failed) => {
      const [name = ''] = Object.keys(message);
      // A socket that does not answer may be dead without a sign of it, so the next question needs a new one.
      const late = setTimeout(() => {
        question.settle((asked) => asked.failed(new Error('the lab did not answer')));
        this.#socket.terminate();
      }, ANSWER_MS);
      const question: Question = {
        field: name === 'ticket' || name === 'about' ? name : 'ok',
        settle: (then) => {
          clearTimeout(late);
          this.#open = this.#open.filter((each) => each !== question);
          then({ done, failed });
        },
      };
      this.#open.push(question);
      this.#socket.send(JSON.stringify(message), TEXT);
    });
  }

  /** Gives the answer to the oldest question of its kind. A failure has no kind. */
  #answered(answer: Answer): void {
    const question = this.#open.find(({ field }) => field in answer) ?? this.#open[0];
    question?.settle(({ done }) => done(answer));
  }
}

export function recordOf(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Answer) : undefined;
  } catch {
    return undefined;
  }
}
