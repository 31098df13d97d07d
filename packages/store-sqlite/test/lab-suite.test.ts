import { labStoreSuite } from '@svc/device-lab/testing';
import { newPlace } from './place.ts';

labStoreSuite('SQLite', async () => {
  const place = newPlace();
  const { driverSessions, commandLog, deviceSettings } = await place.open();
  return { driverSessions, commandLog, deviceSettings, close: () => place.remove() };
});
