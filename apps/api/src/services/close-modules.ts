import type { Log } from '@svc/auth-core';
import type { Module } from '@svc/module';

/**
 * Stops the schedules of the modules and closes the modules, the last one first. A module that cannot be closed is only
 * reported, so that the others, the store and the lock are closed all the same.
 */
export async function closeModules(opened: readonly Module<unknown>[], log: Log): Promise<void> {
  for (const each of opened.toReversed()) {
    try {
      for (const schedule of each.schedules) schedule.stop();
      await each.close();
    } catch (error) {
      log.error('A part of the server could not be closed', { error });
    }
  }
}
