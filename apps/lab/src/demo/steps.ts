/** Prints what is tried and what happened, step by step. */
export class Steps {
  #count = 0;

  /** Runs one step and returns its result; `tell` prints a line. A throw ends the tour. */
  async step<T>(title: string, work: (tell: (line: string) => void) => Promise<T>): Promise<T> {
    this.#count++;
    console.log(`\n${String(this.#count).padStart(2)}. ${title}`);
    return await work((line) => console.log(`      ${line}`));
  }
}

/** What a step expects. The message says what was seen instead. */
export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

/** Enough of a secret to recognise it by. */
export function shown(secret: string): string {
  return `${secret.slice(0, 9)}…`;
}
