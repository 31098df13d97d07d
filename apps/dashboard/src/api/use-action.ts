import { useState } from 'preact/hooks';
import { errorText } from './error-text.ts';

interface Action {
  readonly isBusy: boolean;
  /** Sentence that says why the last run failed, or undefined if it has not failed. */
  readonly problem: string | undefined;
  readonly run: () => void;
}

/**
 * Runs the action of a button. A second click has no effect while the action runs. If the action throws a string, the
 * string is shown unchanged.
 */
export function useAction(work: () => Promise<unknown>): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = async () => {
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, run: () => void run() };
}
