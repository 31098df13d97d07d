import { labStoreSuite } from '../src/testing/lab-store-suite.ts';
import { MemoryApps } from '../src/testing/memory-apps.ts';
import { MemoryAttach } from '../src/testing/memory-attach.ts';
import { MemoryCommandLog } from '../src/testing/memory-command-log.ts';
import { MemoryDeviceSettings } from '../src/testing/memory-device-settings.ts';
import { MemoryDriverSessions } from '../src/testing/memory-driver-sessions.ts';
import { MemoryEventLog } from '../src/testing/memory-event-log.ts';
import { MemoryLeases } from '../src/testing/memory-leases.ts';
import { MemoryPhoneUse } from '../src/testing/memory-phone-use.ts';

labStoreSuite('memory', async () => {
  const commandLog = new MemoryCommandLog();
  return {
    driverSessions: new MemoryDriverSessions(commandLog),
    commandLog,
    deviceSettings: new MemoryDeviceSettings(),
    leases: new MemoryLeases(),
    attach: new MemoryAttach(),
    phoneUse: new MemoryPhoneUse(),
    apps: new MemoryApps(),
    eventLog: new MemoryEventLog(),
    close: () => undefined,
  };
});
