/**
 * Sends an input to the phone by running `work`, and stores the result for the page: the sentence `done` if it
 * succeeded, otherwise a sentence that says why it failed. `unsupported` is the sentence for a driver that lacks the
 * command. Never rejects.
 */
export type Act = (work: () => Promise<unknown>, done: string, unsupported?: string) => Promise<void>;
