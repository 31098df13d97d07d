/** Calls `act` at a fixed rate, however long each call takes. */
function pace(perSecond: number, forMs: number, act: () => void): Promise<void> {
  const began = performance.now();
  let done = 0;
  return new Promise((over) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - began;
      for (; done < (Math.min(elapsed, forMs) / 1000) * perSecond; done++) act();
      if (elapsed < forMs) return;
      clearInterval(timer);
      over();
    }, 1000 / perSecond);
  });
}

/**
 * Calls `ask` at a fixed rate, whether or not earlier calls have ended.
 * @returns the milliseconds that each call took
 */
export async function askAtPace(
  ask: () => Promise<unknown>,
  perSecond: number,
  forMs: number,
): Promise<number[]> {
  const waiting: Promise<number>[] = [];
  await pace(perSecond, forMs, () => {
    const began = performance.now();
    waiting.push(ask().then(() => performance.now() - began));
  });
  return await Promise.all(waiting);
}

/**
 * Calls each function at the same rate, in turn, so that other work on the machine affects all of them alike. Does not
 * wait for earlier calls.
 * @returns for each function, the milliseconds that its calls took
 */
export async function askInTurn(
  asks: readonly (() => Promise<unknown>)[],
  perSecond: number,
  forMs: number,
): Promise<number[][]> {
  const times = asks.map((): number[] => []);
  let turn = 0;
  const ask = async (): Promise<void> => {
    const which = turn++ % asks.length;
    const began = performance.now();
    await asks[which]?.();
    times[which]?.push(performance.now() - began);
  };
  await askAtPace(ask, perSecond * asks.length, forMs);
  return times;
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}
