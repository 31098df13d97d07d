import type { Stores } from '@svc/auth-core';
import type { DeviceSettingStore, DriverSession, LabEvent } from '@svc/device-lab';
import type { Subscription } from './webhook.ts';

/**
 * Teams and tags that belong to an event. A webhook with a team or tag as filter gets only events that have this team
 * or tag.
 */
export interface EventScope {
  readonly teamIds: readonly string[];
  readonly tags: readonly string[];
}

/** Stores from which the teams of accounts, and the team and tags of phones, are read. */
export interface ScopeStores {
  readonly accounts: Pick<Stores['accounts'], 'byId'>;
  readonly deviceSettings: Pick<DeviceSettingStore, 'byUdid'>;
}

/** @returns whether an event with these teams and tags passes the filters of a webhook */
export function isWanted({ teamId, tag }: Omit<Subscription, 'id'>, { teamIds, tags }: EventScope): boolean {
  return (teamId === null || teamIds.includes(teamId)) && (tag === null || tags.includes(tag));
}

/**
 * @returns the teams of a session's owner and of its phone, and the tags of the session and of its phone. Team and tags
 * of the phone are read from the database, because sessions can end at the start of the server before the phones are in
 * memory.
 */
export function scopeOfSession(session: DriverSession, stores: ScopeStores): EventScope {
  const phone = scopeOfPhone(session.device?.udid, stores);
  return {
    teamIds: [...teamsOf(session.ownerId, stores), ...phone.teamIds],
    tags: [...session.tags, ...phone.tags],
  };
}

/** @returns the teams and tags of the phone and of the account that are named in the payload of an event */
export function scopeOfEvent({ payload }: LabEvent, stores: ScopeStores): EventScope {
  const phone = scopeOfPhone('udid' in payload ? payload.udid : undefined, stores);
  const owner = 'owner' in payload ? payload.owner : null;
  return {
    teamIds: [...teamsOf(owner?.id ?? null, stores), ...phone.teamIds],
    tags: [...('wants' in payload ? payload.wants.tags : []), ...phone.tags],
  };
}

function scopeOfPhone(udid: string | undefined, { deviceSettings }: ScopeStores): EventScope {
  const phone = udid === undefined ? undefined : deviceSettings.byUdid(udid);
  return { teamIds: phone?.teamId == null ? [] : [phone.teamId], tags: phone?.tags ?? [] };
}

function teamsOf(accountId: string | null, { accounts }: ScopeStores): string[] {
  const account = accountId === null ? undefined : accounts.byId(accountId);
  return (account?.teams ?? []).map(({ id }) => id);
}
