import {
  type Audit,
  actorOf,
  type Caller,
  Refusal,
  type Stores,
  type StoreTransaction,
  type Team,
} from '@svc/auth-core';
import type { CareAtNodes } from './care/care-at-nodes.ts';
import type { CleaningPreview } from './care/cleaning/cleaning-preview.ts';
import type { PhoneCleaner } from './care/cleaning/phone-cleaner.ts';
import type { HealthHistory } from './care/health-history.ts';
import type { ReadHealth } from './care/health-probes.ts';
import type { MaintenanceInput, OutOfService } from './care/out-of-service.ts';
import { outOfServiceView } from './care/out-of-service-view.ts';
import type { DeviceControl } from './control/device-control.ts';
import type { Device, DeviceStatus, OutOfServiceView } from './device.ts';
import type { DeviceLab } from './device-lab.ts';
import type { DriverSession } from './driver-session.ts';
import type { DeviceChangeByAdmin } from './known-devices.ts';
import type { HeldLeases, LiveLease } from './leases/held-leases.ts';
import { type SessionView, sessionView } from './session-view.ts';
import { isListed } from './visibility/list-sessions.ts';
import { maySeeDevice } from './visibility/see-device.ts';

/** A device with its team, status, session and lease, as far as one caller may see them. */
export interface DeviceView {
  readonly device: Device;
  readonly team: Team | null;
  readonly status: DeviceStatus;
  readonly tags: readonly string[];
  /** Session that runs on the device, or null if there is no session that the caller may see. */
  readonly session: SessionView | null;
  /** Time (ms since 1970) since which the device has been free, or null if it is not free. */
  readonly idleSince: number | null;
  /** Session that is starting on the device, or null if there is none that the caller would see. */
  readonly starting: { readonly owner: SessionView['owner']; readonly since: number } | null;
  /** Lease of the device, or null if the device is not leased. */
  readonly lease: LiveLease | null;
  /** Whether the holder of the device's lease can send input without a session. */
  readonly directInput: boolean;
  /** Note of an Admin about the device, or null. */
  readonly note: string | null;
  /** Why the device is out of service, or null if it is in service. */
  readonly outOfService: OutOfServiceView | null;
  /** What the last probe of the device read, or null if it was not probed. */
  readonly health: ReadHealth | null;
  /** What `HealthHistory.failureRateOf` returns. */
  readonly failureRate: number | null;
}

interface Tools {
  readonly lab: Pick<DeviceLab, 'devices' | 'sessions' | 'deviceChanged' | 'releaseDevice'>;
  readonly leases: Pick<HeldLeases, 'on'>;
  readonly deviceControl: Pick<DeviceControl, 'offersDirectInput'>;
  readonly care: Pick<OutOfService, 'on' | 'begin' | 'end'>;
  readonly cleaner: Pick<PhoneCleaner, 'planFor'>;
  readonly history: Pick<HealthHistory, 'of' | 'failureRateOf'>;
  readonly health: { of(udid: string): ReadHealth | null };
  /** What nodes report about the state of their phones. */
  readonly atNodes: CareAtNodes;
  readonly stores: Pick<Stores, 'accounts' | 'teams' | 'transaction'>;
  readonly audit: Audit;
}

/** Name and note that an Admin gives a device. */
export interface DescriptionInput {
  readonly name?: string | null | undefined;
  readonly note?: string | null | undefined;
}

const CONTROL = /[\p{Cc}\p{Cs}]/u;
const CONTROL_BUT_LINES = /[^\P{Cc}\n]|\p{Cs}/u;

interface Changed {
  readonly device: Device;
  readonly teamBefore: string | null;
}

/**
 * Gives callers access to the devices that they may see. These are the devices of the shared pool and of the caller's
 * teams, or all devices for Admins (contract 3.5).
 */
export class DeviceDirectory {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  list(caller: Caller): DeviceView[] {
    return [...this.read(caller)];
  }

  /** Reads the devices that the caller may see, when they are requested. */
  *read(caller: Caller): Generator<DeviceView, void, undefined> {
    const { devices, sessions } = this.#tools.lab;
    const running = new Map(sessions.running().map((each) => [each.device?.udid, each]));
    for (const device of devices.list())
      if (maySeeDevice(caller, device.teamId))
        yield this.#viewOf(caller, device, running.get(device.udid) ?? null);
  }

  /** Checks that a device exists. Throws `not_found` if it is unknown. */
  checkKnown(_caller: Caller, udid: string): void {
    if (this.#tools.lab.devices.byUdid(udid) === undefined) throw new Refusal('not_found', 'unknown device');
  }

  /** Moves a device to a team, or to the shared pool if `teamId` is null. A session on the device continues. */
  setTeam(caller: Caller, udid: string, teamId: string | null): DeviceView {
    const changed = this.#tools.stores.transaction((tx) => {
      if (teamId !== null && tx.teams.byId(teamId) === undefined) throw new Refusal('unknown_team');
      return this.#change(tx, caller, udid, { teamId });
    });
    return this.#publishChange(caller, changed);
  }

  setTags(caller: Caller, udid: string, tags: readonly string[]): DeviceView {
    const changed = this.#tools.stores.transaction((tx) =>
      this.#change(tx, caller, udid, { tags: [...new Set(tags)] }),
    );
    return this.#publishChange(caller, changed);
  }

  /**
   * Changes the name and the note of a device. An absent field stays unchanged; null or a text without a visible
   * character clears it. Throws `bad_request` for a text with control characters.
   */
  describe(caller: Caller, udid: string, { name, note }: DescriptionInput): DeviceView {
    const change = {
      ...(name === undefined ? {} : { givenName: textOf('name', name, CONTROL) }),
      ...(note === undefined ? {} : { note: textOf('note', note, CONTROL_BUT_LINES) }),
    };
    const changed = this.#tools.stores.transaction((tx) => this.#change(tx, caller, udid, change));
    return this.#publishChange(caller, changed);
  }

  /**
   * Returns what a cleaning would remove from a phone now (contract 17.3). Rejects with `not_found` if the phone is
   * unknown or the lab does not clean it, and with `driver_failed` if it cannot be read.
   */
  async cleaningPlan(caller: Caller, udid: string): Promise<CleaningPreview> {
    this.checkKnown(caller, udid);
    const plan = await this.#tools.cleaner.planFor(udid).catch((error: Error) => {
      throw new Refusal('driver_failed', error.message, { message: error.message.slice(0, 200) });
    });
    if (plan === null) throw new Refusal('not_found', 'the lab does not clean the phone');
    return plan;
  }

  /** Returns the probes and the counts of sessions of a device in the last week. Throws `not_found` if it is hidden. */
  history(caller: Caller, udid: string): ReturnType<HealthHistory['of']> {
    const device = this.#tools.lab.devices.byUdid(udid);
    if (device === undefined || !maySeeDevice(caller, device.teamId))
      throw new Refusal('not_found', 'unknown device');
    return this.#tools.history.of(udid);
  }

  /** Ends the session on a device, or the start of one (contract 14.7). Throws `not_found` if the device is unknown. */
  async release(caller: Caller, udid: string): Promise<void> {
    const { lab, audit, stores } = this.#tools;
    this.checkKnown(caller, udid);
    const reason = 'device: session released';
    stores.transaction((tx) => audit.record(tx, 'authz_admin', { ...actorOf(caller), target: udid, reason }));
    await lab.releaseDevice(udid);
  }

  /** Puts a device out of service. Throws like `OutOfService.begin`. */
  beginMaintenance(caller: Caller, udid: string, input: MaintenanceInput): DeviceView {
    this.#tools.care.begin(caller, udid, input);
    return this.#viewOf(caller, this.#tools.lab.devices.byUdid(udid) as Device);
  }

  endMaintenance(caller: Caller, udid: string): void {
    this.#tools.care.end(caller, udid);
  }

  #publishChange(caller: Caller, { device: changed, teamBefore }: Changed): DeviceView {
    this.#tools.lab.deviceChanged(changed, teamBefore);
    // This reads the lease of the device, which also ends the lease if its holder can no longer see the device.
    this.#tools.leases.on(changed.udid);
    return this.#viewOf(caller, changed);
  }

  #change(tx: StoreTransaction, caller: Caller, udid: string, input: DeviceChangeByAdmin): Changed {
    const { lab, audit } = this.#tools;
    const teamBefore = lab.devices.byUdid(udid)?.teamId ?? null;
    this.checkKnown(caller, udid);
    const reason = `device: ${Object.keys(input).join(', ')} changed`;
    audit.record(tx, 'authz_admin', { ...actorOf(caller), target: udid, reason });
    // Change the device last, because a failed statement above rolls back the database but not the change in memory.
    const changed = lab.devices.change(udid, input);
    if (changed === undefined) throw new Refusal('not_found', 'unknown device');
    return { device: changed, teamBefore };
  }

  #viewOf(
    caller: Caller,
    device: Device,
    running: DriverSession | null = this.#tools.lab.sessions.runningOn(device.udid) ?? null,
  ): DeviceView {
    const { lab, stores } = this.#tools;
    return {
      device,
      team: device.teamId === null ? null : (stores.teams.byId(device.teamId) ?? null),
      status: lab.devices.statusOf(device.udid),
      tags: lab.devices.tagsOf(device.udid),
      idleSince: lab.devices.idleSinceOf(device.udid),
      starting: this.#startingOn(caller, device.udid),
      lease: this.#tools.leases.on(device.udid) ?? null,
      directInput: this.#tools.deviceControl.offersDirectInput(device),
      note: lab.devices.noteOf(device.udid),
      outOfService: outOfServiceView(device.udid, this.#tools),
      failureRate: this.#tools.history.failureRateOf(device.udid),
      health: this.#tools.health.of(device.udid) ?? this.#tools.atNodes.healthOf(device.udid),
      session: running !== null && isListed(caller, running.ownerId) ? sessionView(stores, running) : null,
    };
  }

  #startingOn(caller: Caller, udid: string): DeviceView['starting'] {
    const starting = this.#tools.lab.devices.startingOn(udid);
    if (starting === null || !isListed(caller, starting.ownerId)) return null;
    const { ownerId, since } = starting;
    const owner = ownerId === null ? undefined : this.#tools.stores.accounts.byId(ownerId);
    return { owner: owner === undefined ? null : { id: owner.id, email: owner.email }, since };
  }
}

function textOf(field: string, value: string | null, refused: RegExp): string | null {
  const text = (value ?? '').replaceAll('\r\n', '\n').trim();
  if (!refused.test(text)) return text === '' ? null : text;
  throw new Refusal('bad_request', `unusable ${field}`, {
    message: `${field}: must have no control characters`,
  });
}
