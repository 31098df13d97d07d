import type { AppiumUnderTest } from '../appium-server.ts';

/**
 * Sends `count` commands to each server. At any time only one server gets commands, `atOnce` in parallel.
 * @returns milliseconds per turn
 */
export async function alternate<Name extends string>(
  servers: Readonly<Record<Name, AppiumUnderTest>>,
  count: number,
  atOnce: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(servers) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
  for (let turn = 0; turn * atOnce < count; turn++) {
    for (const name of rotated(names, turn)) {
      const began = performance.now();
      await Promise.all(Array.from({ length: atOnce }, () => servers[name].command()));
      times[name].push(performance.now() - began);
    }
  }
  return times;
}

/** Rotates the order, because the first server gets different memory and sometimes another core. */
export function rotated<T>(all: readonly T[], by: number): T[] {
  return all.map((_, index) => all[(index + by) % all.length] as T);
}
