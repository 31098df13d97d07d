import { describe } from 'vitest';
import { appSuite } from './suite/apps.ts';
import { attachSuite } from './suite/attach.ts';
import { commandLogSuite } from './suite/command-log.ts';
import { deviceSettingSuite } from './suite/device-settings.ts';
import { driverSessionSuite } from './suite/driver-sessions.ts';
import { eventLogSuite } from './suite/event-log.ts';
import { leaseSuite } from './suite/leases.ts';
import type { OpenLabStores } from './suite/opened.ts';
import { phoneUseSuite } from './suite/phone-use.ts';

/** Defines the tests that every implementation of the lab's stores must pass. `open` opens the stores for a test. */
export function labStoreSuite(name: string, open: OpenLabStores): void {
  describe(`stores of the lab on ${name}`, () => {
    driverSessionSuite(open);
    commandLogSuite(open);
    deviceSettingSuite(open);
    leaseSuite(open);
    attachSuite(open);
    phoneUseSuite(open);
    appSuite(open);
    eventLogSuite(open);
  });
}
