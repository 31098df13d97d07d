/** Progress of an account's first steps that is stored only in this browser. */
export interface FirstRunMemory {
  readonly isDismissed: boolean;
  /** Whether the user has watched one of their own sessions while it ran. */
  readonly hasSeen: boolean;
}

const NOTHING: FirstRunMemory = { isDismissed: false, hasSeen: false };

export function readFirstRun(accountId: string): FirstRunMemory {
  try {
    return { ...NOTHING, ...JSON.parse(localStorage.getItem(keyOf(accountId)) ?? '{}') };
  } catch {
    return NOTHING;
  }
}

/**
 * Stores in this browser which first steps are done. Does nothing if the browser blocks its storage; the steps are then
 * shown again later.
 */
export function writeFirstRun(accountId: string, memory: FirstRunMemory): void {
  try {
    localStorage.setItem(keyOf(accountId), JSON.stringify(memory));
  } catch {
    // The error is ignored, because no feature depends on the stored facts.
  }
}

function keyOf(accountId: string): string {
  return `svc-first-steps-${accountId}`;
}
