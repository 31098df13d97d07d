import { afterEach, beforeEach } from 'vitest';
import type { AppStore } from '../../apps/library-app.ts';
import type { AttachStore } from '../../attach/attach-address.ts';
import type { CommandLogStore } from '../../command-log/entry.ts';
import type { DeviceSettingStore } from '../../device-settings.ts';
import type { DriverSessionStore } from '../../driver-session.ts';
import type { EventLogStore } from '../../events/event-log.ts';
import type { LeaseStore } from '../../leases/lease.ts';
import type { PhoneUseStore } from '../../use/phone-use.ts';

/** All stores of the lab that the tests use. */
interface LabStores {
  readonly driverSessions: DriverSessionStore;
  readonly commandLog: CommandLogStore;
  readonly deviceSettings: DeviceSettingStore;
  readonly leases: LeaseStore;
  readonly attach: AttachStore;
  readonly apps: AppStore;
  readonly eventLog: EventLogStore;
  readonly phoneUse: PhoneUseStore;
}

export type OpenLabStores = () => Promise<LabStores & { close(): void }>;

/**
 * Opens new stores before each test, and closes them after it.
 * @returns a function that returns the stores of the current test. Outside a test, it throws.
 */
export function opened<S extends object>(open: () => Promise<S & { close(): void }>): () => S {
  let current: (S & { close(): void }) | undefined;
  beforeEach(async () => {
    current = await open();
  });
  afterEach(() => {
    current?.close();
    current = undefined;
  });
  return () => {
    if (current === undefined) throw new Error('The stores are open inside a test only');
    return current;
  };
}
