/**
 * Runs an input and says what came of it. `unsupported` is the sentence for a driver that lacks the command. Never
 * rejects.
 */
export type Act = (work: () => Promise<unknown>, done: string, unsupported?: string) => Promise<void>;
