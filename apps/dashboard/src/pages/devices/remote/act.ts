/**
 * Runs an input and stores its result: the sentence `done` if it succeeded, otherwise a sentence that says why it
 * failed. `unsupported` is the sentence for a driver that lacks the command. Never rejects.
 */
export type Act = (work: () => Promise<unknown>, done: string, unsupported?: string) => Promise<void>;
