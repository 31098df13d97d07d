import {
  labStoreSuite,
  MemoryApps,
  MemoryAttach,
  MemoryCommandLog,
  MemoryDeviceSettings,
  MemoryDriverSessions,
  MemoryEventLog,
  MemoryLeases,
  MemoryNodes,
  MemoryPhoneUse,
} from '../src/testing/index.ts';

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
    nodes: new MemoryNodes(),
    close: () => undefined,
  };
});
