import type { DeviceSetting, DeviceSettingStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { DeviceSettingRow } from '../schema/rows/lab.ts';

export class DeviceSettingRows implements DeviceSettingStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
  }

  all(): DeviceSetting[] {
    return this.#statements.all.all({}).map(settingOf);
  }

  byUdid(udid: string): DeviceSetting | undefined {
    const row = this.#statements.byUdid.get({ udid });
    return row && settingOf(row);
  }

  save(...settings: DeviceSetting[]): void {
    this.#connection.join(() => {
      for (const setting of settings) this.#statements.save.run(rowOf(setting));
    });
  }

  remove(udids: readonly string[]): void {
    this.#connection.join(() => {
      for (const udid of udids) this.#statements.remove.run({ udid });
    });
  }
}

function settingOf(row: DeviceSettingRow): DeviceSetting {
  return {
    udid: row.udid,
    name: row.name,
    platform: row.platform,
    osVersion: row.os_version,
    node: row.node,
    teamId: row.team_id,
    tags: JSON.parse(row.tags),
    givenName: row.given_name,
    note: row.note,
    lastSeenAt: row.last_seen_at,
  };
}

function rowOf({ osVersion, teamId, tags, givenName, lastSeenAt, ...row }: DeviceSetting): DeviceSettingRow {
  return {
    ...row,
    os_version: osVersion,
    team_id: teamId,
    tags: JSON.stringify(tags),
    given_name: givenName,
    last_seen_at: lastSeenAt,
  };
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<NoParams, DeviceSettingRow>('select * from "DeviceSetting" order by udid'),
    byUdid: connection.prepare<{ udid: string }, DeviceSettingRow>(
      'select * from "DeviceSetting" where udid = @udid',
    ),
    save: connection.prepare<DeviceSettingRow, never>(`
      insert into "DeviceSetting" (udid, name, platform, os_version, node, team_id, tags, last_seen_at, given_name, note)
      values (
        @udid, @name, @platform, @os_version, @node, @team_id, @tags, @last_seen_at, @given_name, @note
      )
      on conflict (udid) do update set
        name = @name, platform = @platform, os_version = @os_version, node = @node, team_id = @team_id,
        tags = @tags, last_seen_at = @last_seen_at, given_name = @given_name, note = @note`),
    remove: connection.prepare<{ udid: string }, never>('delete from "DeviceSetting" where udid = @udid'),
  };
}
