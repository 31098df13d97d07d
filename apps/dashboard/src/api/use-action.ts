import { useState } from 'preact/hooks';
import { errorText } from './error-text.ts';

interface Action {
  readonly isBusy: boolean;
  /** Why it did not work. */
  readonly problem: string | undefined;
  readonly run: () => void;
}

/** Work behind one button, once at a time. A text it throws is said as it is. */
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
