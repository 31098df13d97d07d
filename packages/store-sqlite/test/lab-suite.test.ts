import { labStoreSuite } from '@svc/device-lab/testing';
import { newPlace } from './place.ts';

labStoreSuite('SQLite', async () => {
  const place = newPlace();
  const { driverSessions, commandLog, deviceSettings, apps, eventLog, webhooks, nodes } = await place.open();
  return {
    driverSessions,
    commandLog,
    deviceSettings,
    apps,
    eventLog,
    webhooks,
    nodes,
    close: () => place.remove(),
  };
});
