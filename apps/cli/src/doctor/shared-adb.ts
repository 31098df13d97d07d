import { serversOfAdb } from '@svc/device-lab';
import type { Config } from '@svc/settings';
import { type Finding, ok, skipped, warning } from './finding.ts';

const CHECK = 'adb-server';

/** Warns if several servers of this host use the phones of the same adb server (contract 14.8). */
export async function checkSharedAdb({
  adb,
  offeredAdb,
}: Pick<Config, 'adb' | 'offeredAdb'>): Promise<Finding> {
  const address = adb ?? offeredAdb;
  if (address === null) return skipped(CHECK, 'This server uses no adb server');
  const servers = await serversOfAdb(address);
  const place = `${address.host}:${address.port}`;
  if (servers === 0) return skipped(CHECK, `No running server uses phones of the adb server at ${place}`);
  if (servers === 1) return ok(CHECK, `One server uses the phones of the adb server at ${place}`);
  return warning(
    CHECK,
    `${servers} servers share the adb server at ${place}; a phone that one of them holds is busy for the others`,
    'Give each server an adb server of its own (SVC_ADB, ANDROID_ADB_SERVER_PORT), or run one server.',
  );
}
