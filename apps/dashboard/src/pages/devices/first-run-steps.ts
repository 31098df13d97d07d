type StepName = 'password' | 'token' | 'test' | 'live';

/** Facts that decide which first steps are done. They come from the lab and from this browser. */
export interface FirstRunFacts {
  readonly isSuperAdmin: boolean;
  readonly builtInPassword: boolean;
  readonly hasToken: boolean;
  readonly hasRun: boolean;
  readonly hasSeen: boolean;
}

export interface Step {
  readonly name: StepName;
  readonly isDone: boolean;
}

/**
 * Returns the steps that lead a new user to a first test that can be watched live. For a Super admin, the first step is
 * to replace the password with which the server was installed.
 */
export function stepsOf({ isSuperAdmin, builtInPassword, hasToken, hasRun, hasSeen }: FirstRunFacts): Step[] {
  const own: Step[] = [
    { name: 'token', isDone: hasToken },
    { name: 'test', isDone: hasRun },
    { name: 'live', isDone: hasSeen },
  ];
  return isSuperAdmin ? [{ name: 'password', isDone: !builtInPassword }, ...own] : own;
}

/** @returns the first step that is not done, or undefined if all are done */
export function nextStep(steps: readonly Step[]): Step | undefined {
  return steps.find(({ isDone }) => !isDone);
}
