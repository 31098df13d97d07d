type StepName = 'password' | 'token' | 'test' | 'live';

/** What the lab and this browser know of the caller's beginnings. */
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

/** The way from an empty lab to a test that is seen live. Who looks after the lab begins with its password. */
export function stepsOf({ isSuperAdmin, builtInPassword, hasToken, hasRun, hasSeen }: FirstRunFacts): Step[] {
  const own: Step[] = [
    { name: 'token', isDone: hasToken },
    { name: 'test', isDone: hasRun },
    { name: 'live', isDone: hasSeen },
  ];
  return isSuperAdmin ? [{ name: 'password', isDone: !builtInPassword }, ...own] : own;
}

/** The one to do next; undefined: all are done. */
export function nextStep(steps: readonly Step[]): Step | undefined {
  return steps.find(({ isDone }) => !isDone);
}
