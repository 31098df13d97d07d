import { sampleAccount } from '@svc/auth-core/testing';
import { labStoreSuite } from '@svc/device-lab/testing';
import { nodeSuite } from '@svc/nodes/testing';
import { webhookSuite } from '@svc/webhooks/testing';
import { newPlace } from './place.ts';

labStoreSuite('SQLite', async () => {
  const place = newPlace();
  const store = await place.open();
  const { driverSessions, commandLog, deviceSettings, leases, attach, apps, eventLog, phoneUse } = store;
  store.transaction((tx) => tx.accounts.insert({ ...sampleAccount('ana'), id: 'ana' }));
  return {
    driverSessions,
    commandLog,
    deviceSettings,
    leases,
    attach,
    apps,
    eventLog,
    phoneUse,
    close: () => place.remove(),
  };
});

webhookSuite('SQLite', async () => {
  const place = newPlace();
  const { webhooks } = await place.open();
  return { webhooks, close: () => place.remove() };
});

nodeSuite('SQLite', async () => {
  const place = newPlace();
  const { nodes } = await place.open();
  return { nodes, close: () => place.remove() };
});
