import type { silentLog } from '@svc/auth-core/testing';
import { AdbSource, type SourceDevice } from '@svc/device-lab';

/** Short time limits in ms, so that a test does not wait for them. */
const TIMEOUTS = { response: 100, version: 200, firstRetry: 5, longestRetry: 400 };

export interface FollowOptions extends Partial<typeof TIMEOUTS> {
  readonly details?: ReadonlyMap<string, Partial<SourceDevice>>;
}

/** Starts a source for the adb server on `port`. The caller has to stop the source. */
export function followAdb(
  port: number,
  log: ReturnType<typeof silentLog>,
  { details, ...timeouts }: FollowOptions = {},
) {
  let now: readonly SourceDevice[] | undefined;
  const looks = new Set<() => void>();
  const source = new AdbSource({
    address: { host: '127.0.0.1', port },
    log,
    timeouts: { ...TIMEOUTS, ...timeouts },
    ...(details === undefined ? {} : { details }),
  });
  source.start((devices) => {
    now = devices;
    for (const look of looks) look();
  });
  /** Resolves to the first list of phones that has exactly these ids, in this order. */
  const udids = (...wanted: string[]) =>
    new Promise<readonly SourceDevice[]>((found) => {
      const look = () => {
        if (now === undefined || String(now.map(({ udid }) => udid)) !== String(wanted)) return;
        looks.delete(look);
        found(now);
      };
      looks.add(look);
      look();
    });
  return { source, udids };
}
