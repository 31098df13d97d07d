import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { refuseOldNode } from '@svc/api/process.js';
import { auditKeyFile } from '@svc/data-folder';
import type { NodeRecord } from '@svc/nodes';
import { nodeDestinations } from '@svc/nodes';
import { Lookups } from '@svc/outbound';
import type { Config } from '@svc/settings';
import { lockHolder, openStore } from '@svc/store-sqlite';
import type { ExaminedServer } from './examined-server.ts';
import { type Finding, failure, ok, skipped } from './finding.ts';
import { checkBackups, checkDatabase, checkFiles, checkKeys, messageOf } from './host.ts';
import { checkHub } from './hub.ts';
import { checkNodeKeys } from './node-keys.ts';
import { checkConnectionLimit, checkNode, checkNodeAddress } from './nodes.ts';
import { checkProxy } from './proxy.ts';
import { checkRecordings } from './recordings.ts';
import { checkDiscovery, checkLog, checkReadiness } from './server.ts';
import { checkSettings, isLocal } from './settings.ts';
import { checkSharedAdb } from './shared-adb.ts';

/** Runs all checks that are possible from this host. The checks change nothing. */
export async function examine(server: ExaminedServer): Promise<Finding[]> {
  const { config, basePath, logFile, now } = server;
  const listening = listenAddressOf(config);
  const address = server.url ?? reachableAt(listening);
  return [
    checkNodeVersion(),
    // The address of a request, such as 127.0.0.1, does not tell on which addresses the server listens.
    ...checkSettings(server, listening ?? address),
    ...checkConnectionLimit(config),
    ...checkFiles(config),
    await checkKeys(config),
    ...(await checkDatabase(config, now)),
    checkBackups(config, now),
    checkRecordings(config),
    await checkSharedAdb(config),
    ...(address === null
      ? [
          skipped(
            'server',
            'No server uses this data folder, so checks that need a running server were skipped',
          ),
        ]
      : await checkServer(address, server)),
    ...(logFile === undefined || address === null ? [] : [await checkLog(address, basePath, logFile)]),
    ...(await checkProxy(config)),
    ...(await checkHub(config, now)),
    ...(await checkNodes(config, now)),
  ];
}

async function checkServer(address: string, { basePath, config }: ExaminedServer): Promise<Finding[]> {
  return [await checkReadiness(address), await checkDiscovery(address, basePath, config)];
}

function checkNodeVersion(): Finding {
  try {
    refuseOldNode();
    return ok('node-js', `Node.js ${process.versions.node}`);
  } catch (error) {
    return failure('node-js', messageOf(error), 'Install Node.js 20.19+, 22.12+ or 24+.');
  }
}

async function checkNodes(config: Config, now: number): Promise<Finding[]> {
  const { nodes, keys } = await nodesOf(config, now);
  const destinations = nodeDestinations(config, new Lookups(), () => mayListenOnLoopback(config));
  const findings = await Promise.all(
    nodes.map(async (node) => {
      const refused = await checkNodeAddress(node, destinations);
      // Sends no request to an address that the hub itself refuses to connect to.
      return refused === null ? await checkNode(node, config.nodeTlsCa, now) : [refused];
    }),
  );
  return [...keys, ...findings.flat()];
}

interface KnownNodes {
  readonly nodes: readonly NodeRecord[];
  readonly keys: readonly Finding[];
}

async function nodesOf({ databaseFile: file, dataDir }: Config, now: number): Promise<KnownNodes> {
  const none = { nodes: [], keys: [] };
  if (!existsSync(file) || !existsSync(auditKeyFile(dataDir))) return none;
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const options = { auditKeyFile: auditKeyFile(dataDir), clock: { now: Date.now }, log, autoMigrate: false };
  try {
    const stores = await openStore({ file, ...options });
    try {
      const nodes = stores.nodes.all();
      return { nodes, keys: checkNodeKeys(nodes, stores, now) };
    } finally {
      stores.close();
    }
  } catch {
    // Ignores a failure to open the database, because the check of the database reports it.
    return none;
  }
}

/**
 * Returns whether the hub possibly listens on loopback only. This is true if no server is running, because its address
 * is unknown then.
 */
function mayListenOnLoopback(config: Config): boolean {
  const listening = listenAddressOf(config);
  return listening === null || isLocal(listening);
}

/**
 * @param listening address that the running server announces, or null if no server is running
 * @returns the address at which a process on this host reaches the server
 */
function reachableAt(listening: string | null): string | null {
  return listening?.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:') ?? null;
}

/** @returns the address and port that the running server announces, as a URL, or null if no server is running */
function listenAddressOf({ dataDir }: Config): string | null {
  const { address = null, pid = 0 } = lockHolder(join(dataDir, 'svc.lock')) ?? {};
  // Checks that the process is alive, because a killed server leaves its address in the lock file.
  if (address === null || !isAlive(pid)) return null;
  return /^https?:/.test(address) ? address : `http://${address}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
