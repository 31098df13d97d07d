import type { Clock, Log } from '@svc/auth-core';
import type { SessionApps } from './apps/session-apps.ts';
import type { CommandLogStore, ObservedCommand } from './command-log/entry.ts';
import type { DeviceSettingStore } from './device-settings.ts';
import type { DriverSessionStore } from './driver-session.ts';
import type { EndRecorder } from './driver-sessions.ts';
import type { HeldLeasesTools } from './leases/held-leases.ts';
import type { DeviceSource } from './sources/device-source.ts';

export interface DeviceLabOptions {
  readonly sessions: DriverSessionStore;
  readonly commands: CommandLogStore;
  readonly deviceSettings: DeviceSettingStore;
  /** Stores of the leases, by which leased devices go to their holders. Without it, no device is leased. */
  readonly leases?: Omit<HeldLeasesTools, 'lab' | 'clock' | 'log'>;
  /** Sources of its devices. Without a source, drivers pick devices themselves. */
  readonly sources: readonly DeviceSource[];
  /** Limit of running and starting sessions, read at each create. Below 1 there is no limit (specification 8.2). */
  readonly maxSessions: () => number;
  /** Current settings, in days. */
  readonly retentionDays: {
    readonly commands: () => number;
    /** How long the record of a session is kept after its end. */
    readonly sessions: () => number;
  };
  /** Without it, sessions cannot refer to apps of the library. */
  readonly apps?: SessionApps;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each command of a session before its response is complete, so it must return immediately. */
  readonly onCommand?: (seen: ObservedCommand) => void;
  /** Without it, each store writes in its own transaction, and no webhook is called. */
  readonly endRecorder?: EndRecorder;
}
