import { useState } from 'preact/hooks';
import { errorText } from './error-text.ts';

interface Action {
  readonly isBusy: boolean;
  /** Why the action failed. */
  readonly problem: string | undefined;
  readonly run: () => void;
}

/** An action of one button, which runs at most once at a time. A string that it throws is shown unchanged. */
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
