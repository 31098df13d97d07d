/** State of the first steps of an account that this browser stores. */
export interface FirstRunMemory {
  readonly isDismissed: boolean;
  /** The user watched one of their sessions while it ran. */
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

/** Storage may be blocked; then the steps are shown again. */
export function writeFirstRun(accountId: string, memory: FirstRunMemory): void {
  try {
    localStorage.setItem(keyOf(accountId), JSON.stringify(memory));
  } catch {
    // No feature depends on it.
  }
}

function keyOf(accountId: string): string {
  return `svc-first-steps-${accountId}`;
}
