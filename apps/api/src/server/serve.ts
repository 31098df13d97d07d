import { ConfigError, Reader, readConfig, readEntranceSettings, readListen } from '@svc/settings';
import { clientFacts, closeWithConnection } from '@svc/webdriver-gate';
import { limitClients } from '../clients/client-limits.ts';
import { createLog } from '../logging/json-log.ts';
import { processSources, reportSettings } from '../runtime/process-settings.ts';
import { openServices } from '../services/services.ts';
import { buildApp } from './app.ts';
import { listen } from './gate-server.ts';
import { gridServer } from './grid-server.ts';

/**
 * Starts the API alone, without Appium (contract 9).
 * @returns the address on which the server listens
 */
export async function serve(): Promise<string> {
  const sources = processSources();
  const { config, warnings } = readConfig(sources);
  const reader = new Reader(sources);
  const { port, host } = readListen(reader);
  const log = createLog(config.logLevel);
  reportSettings(log, config, [...warnings, ...reader.warnings], host);
  const { upstream, first, basePath } = readEntranceSettings(sources);
  if (upstream !== null && config.node !== null)
    throw new ConfigError('SVC_UPSTREAM and SVC_HUB_URL cannot both be set');
  if (first !== null)
    throw new ConfigError(
      'SVC_ENTRANCE_OF is set. Start a further entrance with `node apps/entrance/dist/main.js`',
    );
  const { isTrustedProxy } = clientFacts(config.trustedProxies);
  const limits = { maxConnections: config.maxConnectionsPerAddress, isTrustedProxy };
  const services = await openServices({ config, log, upstream });
  try {
    const { grid, lab, node } = services.modules;
    const app = await buildApp(services, { basePath });
    const entrance = grid === undefined ? null : gridServer(app, services, grid.offers, basePath);
    const server = entrance?.server ?? app.server;
    if (entrance === null) server.prependListener('request', closeWithConnection);
    limitClients(server, limits);
    services.announce(server);
    endWith(async () => {
      lab.offers.lab.queue.close();
      await entrance?.close();
      await app.close();
      await services.close();
    });
    const url = await (entrance === null
      ? app.listen({ port, host })
      : listen(entrance.server, { port, host }));
    node?.offers.start('');
    const local = localhostOf(url);
    if (config.publicUrl === null && !config.authDisabled && local !== null)
      log.info(`Passkeys work at ${local}/svc/, because browsers refuse them at an IP address`);
    return url;
  } catch (error) {
    // Closing the services also undoes an upgrade of the database if the server has not listened yet.
    await services.close();
    throw error;
  }
}

/** @returns the address at `localhost` of a server that listens on a loopback address, otherwise null */
function localhostOf(url: string): string | null {
  const { hostname, port } = new URL(url);
  return hostname === '127.0.0.1' || hostname === '[::1]' ? `http://localhost:${port}` : null;
}

function endWith(stop: () => Promise<void>): void {
  const end = async (): Promise<void> => {
    await stop();
    process.exit(0);
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}
