/** Prints the steps of the tour and their results. */
export class Steps {
  #count = 0;

  /** Runs one step and returns its result. `print` prints a line. An error ends the tour. */
  async step<T>(title: string, work: (print: (line: string) => void) => Promise<T>): Promise<T> {
    this.#count++;
    console.log(`\n${String(this.#count).padStart(2)}. ${title}`);
    return await work((line) => console.log(`      ${line}`));
  }
}

/** Fails a step with a message that says what happened instead. */
export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

/** @returns enough of a secret to recognize it */
export function shown(secret: string): string {
  return `${secret.slice(0, 9)}…`;
}
