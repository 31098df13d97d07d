import type { DeviceSetting, DeviceSettingStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { DeviceSettingRow } from '../schema/tables.ts';

export class DeviceSettings implements DeviceSettingStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
  }

  all(): DeviceSetting[] {
    return this.#statements.all.all({}).map((row) => ({
      udid: row.udid,
      name: row.name,
      platform: row.platform,
      osVersion: row.os_version,
      teamId: row.team_id,
      tags: JSON.parse(row.tags),
    }));
  }

  save({ udid, name, platform, osVersion, teamId, tags }: DeviceSetting): void {
    const row = { udid, name, platform, os_version: osVersion, team_id: teamId, tags: JSON.stringify(tags) };
    this.#connection.join(() => this.#statements.save.run(row));
  }
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<NoParams, DeviceSettingRow>('select * from phone_settings order by udid'),
    save: connection.prepare<DeviceSettingRow, never>(`
      insert into phone_settings (udid, name, platform, os_version, team_id, tags)
      values (@udid, @name, @platform, @os_version, @team_id, @tags)
      on conflict (udid) do update set
        name = @name, platform = @platform, os_version = @os_version, team_id = @team_id, tags = @tags`),
  };
}
