import {
  labStoreSuite,
  MemoryCommandLog,
  MemoryDeviceSettings,
  MemoryDriverSessions,
} from '../src/testing/index.ts';

labStoreSuite('memory', async () => ({
  driverSessions: new MemoryDriverSessions(),
  commandLog: new MemoryCommandLog(),
  deviceSettings: new MemoryDeviceSettings(),
  close: () => undefined,
}));
