import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PeerPlugin } from '../appium-server.ts';
import type { DeviceFarmFolder } from './device-farm-folder.ts';

/** The plugin with a new database below `parent`, and one phone that it manages. */
export function deviceFarm({ home, database }: DeviceFarmFolder, parent: string): PeerPlugin {
  const folder = mkdtempSync(join(parent, 'svc-bench-'));
  copyFileSync(database, join(folder, 'device-farm-latest.db'));
  return {
    home,
    args: [
      ...['--use-plugins', 'device-farm', '--plugin-device-farm-platform', 'fake'],
      ...['--plugin-device-farm-bind-host-or-ip', '127.0.0.1', '--plugin-device-farm-skip-chrome-download'],
    ],
    env: { DEVICE_FARM_HOME: folder, HOME: folder },
    prepare: async (call, url) => {
      const { status } = await call('GET', '/device-farm/api/device');
      if (status !== 200) throw new Error('Appium did not load the plugin');
      const { id: nodeId } = JSON.parse(readFileSync(join(folder, 'metadata.json'), 'utf8'));
      const phone = { udid: 'fake', host: url, nodeId, platform: 'fake', name: 'Fake', sdk: '1' };
      const state = {
        deviceType: 'real',
        realDevice: true,
        busy: false,
        userBlocked: false,
        offline: false,
      };
      await call('POST', '/device-farm/api/register?type=add', { json: [{ ...phone, ...state }] });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
