import { createLog, limitClients, listen, processSources, reportSettings } from '@svc/api/host.js';
import { ConfigError, Reader, readConfig, readEntranceSettings, readListen } from '@svc/settings';
import { loadTelemetry } from '@svc/telemetry';
import { clientFacts } from '@svc/webdriver-gate';
import { openEntrance } from './entrance.ts';

/**
 * Starts the entrance with the settings of this process.
 * @returns the address that it listens on
 */
export async function serve(): Promise<string> {
  const sources = processSources();
  const { config, warnings } = readConfig(sources);
  const reader = new Reader(sources);
  const { port, host } = readListen(reader);
  const log = createLog(config.logLevel);
  reportSettings(log, config, [...warnings, ...reader.warnings], host);
  const { upstream, first, basePath } = readEntranceSettings(sources);
  if (upstream === null || first === null)
    throw new ConfigError(
      'SVC_ENTRANCE_OF is not set. It names the first entrance, which `node apps/api/dist/main.js` starts',
    );
  if (config.node !== null) throw new ConfigError('SVC_UPSTREAM and SVC_HUB_URL cannot both be set');
  const telemetryOf = await loadTelemetry(config);
  const instance = `${host}:${port}`;
  const { server, close } = openEntrance({ config, first, upstream, basePath, log, telemetryOf, instance });
  const { isTrustedProxy } = clientFacts(config.trustedProxies);
  limitClients(server, { maxConnections: config.maxConnectionsPerAddress, isTrustedProxy });
  endWith(close);
  return await listen(server, { port, host });
}

function endWith(close: () => Promise<void>): void {
  const end = async (): Promise<void> => {
    await close();
    process.exit(0);
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}
