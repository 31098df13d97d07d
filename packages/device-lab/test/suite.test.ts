import {
  labStoreSuite,
  MemoryApps,
  MemoryCommandLog,
  MemoryDeviceSettings,
  MemoryDriverSessions,
  MemoryEventLog,
  MemoryLeases,
  MemoryNodes,
  MemoryPhoneUse,
  MemoryWebhooks,
} from '../src/testing/index.ts';

labStoreSuite('memory', async () => {
  const commandLog = new MemoryCommandLog();
  return {
    driverSessions: new MemoryDriverSessions(commandLog),
    commandLog,
    deviceSettings: new MemoryDeviceSettings(),
    leases: new MemoryLeases(),
    phoneUse: new MemoryPhoneUse(),
    apps: new MemoryApps(),
    eventLog: new MemoryEventLog(),
    webhooks: new MemoryWebhooks(),
    nodes: new MemoryNodes(),
    close: () => undefined,
  };
});
