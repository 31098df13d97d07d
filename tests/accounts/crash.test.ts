import { expect, it } from 'vitest';
import { expectWholeStates } from './support/crash.ts';

// `crash.slow.test.ts` has every moment in between, and password changes too.
it('(specification 5.10) SIGKILL before and after a reset leaves the whole old state and the whole new one', async () => {
  await expect(expectWholeStates('reset', [0, null])).resolves.toBeUndefined();
});
