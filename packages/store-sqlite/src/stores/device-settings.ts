import type { DeviceSetting, DeviceSettingStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { Params, Prepare } from '../connection/statements.ts';
import type { DeviceSettingsTable } from '../schema/tables.ts';

export class DeviceSettings implements DeviceSettingStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection, prepare: Prepare) {
    this.#connection = connection;
    this.#statements = statements(prepare);
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

function statements(prepare: Prepare) {
  return {
    all: prepare((query) => query.selectFrom('phone_settings').selectAll().orderBy('udid')),
    save: prepare((query, at: Params<DeviceSettingsTable>) => {
      const values = {
        name: at.name,
        platform: at.platform,
        os_version: at.os_version,
        team_id: at.team_id,
        tags: at.tags,
      };
      return query
        .insertInto('phone_settings')
        .values({ udid: at.udid, ...values })
        .onConflict((conflict) => conflict.column('udid').doUpdateSet(values));
    }),
  };
}
