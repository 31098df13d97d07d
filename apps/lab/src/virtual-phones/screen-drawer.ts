import { Worker } from 'node:worker_threads';
import type { ScreenContent } from './screen.ts';

/** Request to the drawing thread for one screen. */
export interface DrawRequest {
  readonly id: number;
  readonly content: ScreenContent;
}

/** Response of the drawing thread. */
export interface DrawnScreen {
  readonly id: number;
  readonly jpeg: Uint8Array;
}

interface Waiting {
  readonly resolve: (jpeg: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Draws the screens of virtual phones in a separate thread, because encoding a JPEG takes tens of milliseconds, during
 * which the main thread could not respond to commands. The thread starts with the first screen and does not keep the
 * process alive.
 */
export class ScreenDrawer {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  /** Returns the screen as a JPEG. Rejects if the thread has failed; the next call starts another thread. */
  draw(content: ScreenContent): Promise<Uint8Array> {
    this.#worker ??= this.#start();
    this.#lastId += 1;
    const request: DrawRequest = { id: this.#lastId, content };
    const drawn = new Promise<Uint8Array>((resolve, reject) =>
      this.#waiting.set(request.id, { resolve, reject }),
    );
    this.#worker.postMessage(request);
    return drawn;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./draw-worker.js', import.meta.url));
    worker.unref();
    worker.on('message', ({ id, jpeg }: DrawnScreen) => {
      this.#waiting.get(id)?.resolve(jpeg);
      this.#waiting.delete(id);
    });
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new Error('the thread that draws screens has ended')));
    return worker;
  }

  #fail(error: Error): void {
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
