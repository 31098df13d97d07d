import { sampleAccount } from '@svc/auth-core/testing';
import { labStoreSuite } from '@svc/device-lab/testing';
import { newPlace } from './place.ts';

labStoreSuite('SQLite', async () => {
  const place = newPlace();
  const store = await place.open();
  const {
    driverSessions,
    commandLog,
    deviceSettings,
    leases,
    attach,
    apps,
    eventLog,
    webhooks,
    nodes,
    phoneUse,
  } = store;
  store.transaction((tx) => tx.accounts.insert({ ...sampleAccount('ana'), id: 'ana' }));
  return {
    driverSessions,
    commandLog,
    deviceSettings,
    leases,
    attach,
    apps,
    eventLog,
    webhooks,
    nodes,
    phoneUse,
    close: () => place.remove(),
  };
});
