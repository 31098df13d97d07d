import { labStoreSuite } from '@svc/device-lab/testing';
import { newPlace } from './place.ts';

labStoreSuite('SQLite', async () => {
  const place = newPlace();
  const { driverSessions, commandLog, deviceSettings, apps, eventLog } = await place.open();
  return { driverSessions, commandLog, deviceSettings, apps, eventLog, close: () => place.remove() };
});
