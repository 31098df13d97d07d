import { openAccountServices, processSources } from '@svc/api';
import { buildApp } from '@svc/api/app.js';
import { createLog } from '@svc/api/host.js';
import { readConfig } from '@svc/settings';

// A server that only authenticates, without phones.
const { config } = readConfig(processSources());
const services = await openAccountServices({ config, log: createLog(config.logLevel) });
const app = await buildApp(services);
services.announce(app.server);
process.once('SIGTERM', async () => {
  await app.close();
  await services.close();
  process.exit(0);
});
process.stdout.write(
  `svc ready on ${await app.listen({ port: Number(process.env.PORT ?? 0), host: '127.0.0.1' })}\n`,
);
