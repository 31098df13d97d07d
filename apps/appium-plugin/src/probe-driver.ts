import type { InnerDriver } from './appium-types.ts';

/** Time (ms) that a driver has to answer. A driver that is busy for longer has not died. */
const ANSWER_MS = 30_000;

/**
 * Asks a driver for the size of the screen, which it asks its own server for.
 * @returns the error message of the driver, or undefined if it answered or did not answer in time
 */
export async function probeDriver(driver: InnerDriver, id: string): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ANSWER_MS).unref();
  });
  try {
    return await Promise.race([messageOf(driver.executeCommand('getWindowRect', id)), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function messageOf(answer: Promise<unknown>): Promise<string | undefined> {
  try {
    await answer;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
