type StepName = 'password' | 'token' | 'test' | 'live';

/** Facts about the user's first steps, from the lab and from this browser. */
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

/** The steps from an empty lab to a live test. A Super admin starts with the built-in password. */
export function stepsOf({ isSuperAdmin, builtInPassword, hasToken, hasRun, hasSeen }: FirstRunFacts): Step[] {
  const own: Step[] = [
    { name: 'token', isDone: hasToken },
    { name: 'test', isDone: hasRun },
    { name: 'live', isDone: hasSeen },
  ];
  return isSuperAdmin ? [{ name: 'password', isDone: !builtInPassword }, ...own] : own;
}

/** @returns the next step, or undefined if all are done */
export function nextStep(steps: readonly Step[]): Step | undefined {
  return steps.find(({ isDone }) => !isDone);
}
