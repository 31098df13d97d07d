import { labStoreSuite } from '@svc/device-lab/testing';
import { newPlace } from './place.ts';

labStoreSuite('SQLite', async () => {
  const place = newPlace();
  const { driverSessions, commandLog, deviceSettings, apps, eventLog, webhooks } = await place.open();
  return {
    driverSessions,
    commandLog,
    deviceSettings,
    apps,
    eventLog,
    webhooks,
    close: () => place.remove(),
  };
});
