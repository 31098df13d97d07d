import type { Clock, Log } from '@svc/auth-core';
import type { OpenConnections } from '@svc/module';
import type { SessionApps } from './apps/session-apps.ts';
import type { CommandLogStore, ObservedCommand } from './command-log/entry.ts';
import type { DriverPlacesOptions } from './decided/driver-places.ts';
import type { DeviceSettingStore } from './device-settings.ts';
import type { DriverSessionStore } from './driver-session.ts';
import type { EndRecorder } from './driver-sessions.ts';
import type { HeldLeasesTools } from './leases/held-leases.ts';
import type { AccountTimesStore, ShareStore } from './shares/share-limits.ts';
import type { DeviceSource } from './sources/device-source.ts';

export interface DeviceLabOptions {
  readonly sessions: DriverSessionStore;
  readonly commands: CommandLogStore;
  readonly deviceSettings: DeviceSettingStore;
  /** Stores of the leases, which reserve devices for accounts. If absent, no device is leased. */
  readonly leases?: Omit<HeldLeasesTools, 'lab' | 'clock' | 'log'>;
  /**
   * Stores of what teams and accounts may use and have used. If absent, nothing is limited and the times are not kept.
   */
  readonly shares?: { readonly limits: ShareStore; readonly times: AccountTimesStore };
  /** What reports the devices of the lab, such as adb or the nodes. If empty, drivers pick devices themselves. */
  readonly sources: readonly DeviceSource[];
  /**
   * Returns the limit of running and starting sessions. Called at each create-session request, so that a changed
   * setting applies immediately. Below 1 there is no limit (specification 8.2).
   */
  readonly maxSessions: () => number;
  /** Functions that return the current retention settings, in days. */
  readonly retentionDays: {
    readonly commands: () => number;
    /** Returns the number of days for which the record of a session is stored after its end. */
    readonly sessions: () => number;
  };
  /**
   * Where the drivers of this host run, and what clients may decide about it. If absent, the lab decides on all
   * capabilities of the table, and only knows which device was reserved.
   */
  readonly drivers?: DriverPlacesOptions;
  /** Seconds within which a driver must start (`SVC_START_SECONDS`). If absent or 0, there is no limit. */
  readonly startSeconds?: number;
  /** Maximum of `newCommandTimeout` in seconds (`SVC_MAX_IDLE_SECONDS`). If absent or 0, there is no limit. */
  readonly maxIdleSeconds?: number;
  /** Minutes after which a session is ended (`SVC_MAX_SESSION_MINUTES`). If absent or 0, there is no limit. */
  readonly maxSessionMinutes?: number;
  /** Resolves references to apps of the library. If absent, sessions cannot refer to such apps. */
  readonly apps?: SessionApps;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Regularly checks the credentials of requests that wait for a phone. If absent, credentials are checked only when a
   * request arrives.
   */
  readonly connections?: Pick<OpenConnections, 'add'>;
  /** Called for each command of a session before the client gets the response, so it must return immediately. */
  readonly onCommand?: (seen: ObservedCommand) => void;
  /**
   * Stores the end of a session together with its webhook deliveries. If absent, each store writes in its own
   * transaction, and no webhook is called.
   */
  readonly endRecorder?: EndRecorder;
}
