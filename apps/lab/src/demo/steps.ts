/** Prints the steps of the tour and their results. */
export class Steps {
  #count = 0;

  /** Runs a step of the tour and returns its result. `print` prints a line. An error ends the tour. */
  async step<T>(title: string, work: (print: (line: string) => void) => Promise<T>): Promise<T> {
    this.#count++;
    console.log(`\n${String(this.#count).padStart(2)}. ${title}`);
    return await work((line) => console.log(`      ${line}`));
  }
}

/** Throws an error with the message `otherwise` if the condition is false, which fails the step. */
export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

/** Returns the beginning of a secret, which is enough to recognize the secret but not to use it. */
export function shown(secret: string): string {
  return `${secret.slice(0, 9)}…`;
}
