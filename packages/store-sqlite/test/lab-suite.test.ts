import { sampleAccount } from '@svc/auth-core/testing';
import { labStoreSuite } from '@svc/device-lab/testing';
import { webhookSuite } from '@svc/webhooks/testing';
import { newPlace } from './place.ts';

labStoreSuite('SQLite', async () => {
  const place = newPlace();
  const store = await place.open();
  const { driverSessions, commandLog, deviceSettings, leases, attach, apps, eventLog, nodes, phoneUse } =
    store;
  store.transaction((tx) => tx.accounts.insert({ ...sampleAccount('ana'), id: 'ana' }));
  return {
    driverSessions,
    commandLog,
    deviceSettings,
    leases,
    attach,
    apps,
    eventLog,
    nodes,
    phoneUse,
    close: () => place.remove(),
  };
});

webhookSuite('SQLite', async () => {
  const place = newPlace();
  const { webhooks } = await place.open();
  return { webhooks, close: () => place.remove() };
});
