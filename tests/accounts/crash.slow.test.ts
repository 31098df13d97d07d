import { describe, it } from 'vitest';
import { expectWholeStates } from './support/crash.ts';

const MOMENTS = [0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1, 1.1, null];

describe('SIGKILL at any moment', () => {
  it.each(['reset', 'change'] as const)(
    'a %s interrupted by SIGKILL leaves the whole old state or the whole new one (specification 5.10)',
    { timeout: 120_000 },
    (kind) => expectWholeStates(kind, MOMENTS),
  );
});
