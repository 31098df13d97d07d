import { type Audit, actorOf, type Caller, type Clock, type Log, Refusal, type Stores } from '@svc/auth-core';
import type { DeviceLab } from '../device-lab.ts';
import { type HostLook, type HostPhones, type HostSource, NOTHING_THERE } from './host-phones.ts';

interface Tools {
  readonly lab: Pick<DeviceLab, 'devices' | 'sessions' | 'startsUnassigned' | 'addSource' | 'removeSource'>;
  readonly stores: Pick<Stores, 'settings' | 'transaction'>;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
}

/** The phones that one program on this host lists (Android or iOS phones), and whether the lab uses them. */
export interface HostSourceView {
  readonly host: Pick<HostPhones, 'name' | 'address' | 'variable'>;
  readonly isOn: boolean;
  /** Whether an environment variable decides if the lab uses the phones. If so, Admins cannot change it. */
  readonly isFixed: boolean;
  /** Phones that were found, or null if this host was not searched because the use of these phones is switched off. */
  readonly found: HostLook | null;
}

/**
 * Time (ms) for which the result of a query is reused. However many people have the page open, there are at most four
 * queries per minute.
 */
const LOOK_AGE_MS = 15_000;

/** Maximum number of phones in a view. Further phones are left out, because no real host has so many. */
const MOST_PHONES = 200;

/** @returns the name of the setting in which an Admin's choice is stored */
function keyOf(name: string): string {
  return `source.${name}`;
}

/**
 * Returns whether the lab uses the Android or iOS phones that are plugged into this host. The environment variable
 * decides. If it is not set, the stored choice of an Admin decides. Null if there is no choice either: then Admins see
 * the phones, but the lab does not use them.
 */
export function choiceOf(
  { name, fixed }: Pick<HostPhones, 'name' | 'fixed'>,
  { settings }: Pick<Stores, 'settings'>,
): boolean | null {
  if (fixed !== null) return fixed;
  const saved = settings.all().get(keyOf(name));
  return typeof saved === 'boolean' ? saved : null;
}

/**
 * The phones that are plugged into this host, by program: `adb` or `ios`. An Admin can switch the use of each on or off
 * while the server runs, unless an environment variable decides. If the use of a program's phones was never decided,
 * this class searches for them when the server starts and when an Admin opens the list.
 */
export class HostSources {
  readonly #tools: Tools;
  readonly #hosts: readonly HostPhones[];
  readonly #running = new Map<string, HostSource>();
  readonly #looks = new Map<string, { readonly at: number; readonly look: Promise<HostLook> }>();

  constructor(hosts: readonly HostPhones[], tools: Tools) {
    this.#hosts = hosts;
    this.#tools = tools;
    for (const host of hosts) if (choiceOf(host, tools.stores) === true) this.#begin(host);
  }

  isOn(name: HostPhones['name']): boolean {
    return this.#running.has(name);
  }

  /** Whether the lab uses the program's phones and the program lists this phone as ready now. */
  lists(name: HostPhones['name'], udid: string): boolean {
    const phones = this.#running.get(name)?.seen().phones ?? [];
    return phones.some((phone) => phone.udid === udid && phone.state === 'ready');
  }

  /** Whether the program lists this phone now, and its details could be read. */
  isReadable(name: HostPhones['name'], udid: string): boolean {
    const phones = this.#running.get(name)?.seen().phones ?? [];
    return phones.some((phone) => phone.udid === udid && phone.state === 'ready' && phone.name !== null);
  }

  /**
   * Returns a view of the Android phones and one of the iOS phones. Queries a program only if the use of its phones was
   * never switched on or off.
   */
  async list(_caller: Caller): Promise<HostSourceView[]> {
    return await Promise.all(this.#hosts.map((host) => this.#viewOf(host)));
  }

  /**
   * Switches the use of `adb` or `ios` phones on or off, and stores the choice. Rejects with `not_found` for another
   * name. Rejects with `conflict` if an environment variable decides, if one of the phones is in use, or if a session
   * runs on a phone that its driver picked, because that phone could be one of them.
   */
  async set(caller: Caller, name: string, on: boolean): Promise<HostSourceView> {
    const { stores, audit } = this.#tools;
    const host = this.#hosts.find((each) => each.name === name);
    if (host === undefined) throw new Refusal('not_found', 'unknown source of phones');
    if (host.fixed !== null)
      throw conflict(`${host.variable} is set, so it decides whether the phones are used.`);
    const running = this.#running.get(name);
    if (on && running === undefined) this.#checkUnassigned();
    if (!on && running !== undefined) this.#checkUnused(running);
    stores.transaction((tx) => {
      tx.settings.save(new Map([[keyOf(name), on]]));
      const reason = `phones of ${name} switched ${on ? 'on' : 'off'}`;
      audit.record(tx, 'authz_admin', { ...actorOf(caller), target: 'settings', reason });
    });
    if (on && running === undefined) this.#begin(host);
    if (!on && running !== undefined) this.#end(running);
    return await this.#viewOf(host);
  }

  /**
   * Searches once for phones whose use was never switched on or off, and logs how they can be switched on. Never
   * rejects.
   */
  async announce(): Promise<void> {
    const { stores, log } = this.#tools;
    for (const host of this.#hosts) {
      if (choiceOf(host, stores) !== null) continue;
      const { answers, phones } = await this.#look(host);
      if (answers)
        log.info(
          `${TITLES[host.name]} responds, but the lab does not use its phones. Switch them on at /svc/devices or with ${host.variable}=true; ${host.variable}=false ends this message`,
          { address: host.address, phones: phones.length },
        );
    }
  }

  /**
   * Throws if a session runs or starts on a phone that its driver picked. The lab does not know which phone this is. If
   * the lab managed the phones from now on, it could give this phone to a second session.
   */
  #checkUnassigned(): void {
    const { lab } = this.#tools;
    const unassigned = lab.sessions.running().find(({ device, node }) => device === null && node === null);
    if (unassigned !== undefined || lab.startsUnassigned)
      throw conflict('A session runs on a phone that its driver picked. End it first.');
  }

  #checkUnused(source: HostSource): void {
    const { devices } = this.#tools.lab;
    const busy = devices
      .list()
      .find(({ udid }) => devices.sourceOf(udid) === source && devices.statusOf(udid) === 'busy');
    if (busy !== undefined) throw conflict(`The phone ${busy.udid} is in use.`);
  }

  #begin(host: HostPhones): void {
    const source = host.source();
    this.#running.set(host.name, source);
    this.#looks.delete(host.name);
    this.#tools.lab.addSource(source);
  }

  #end(source: HostSource): void {
    this.#running.delete(source.name);
    this.#tools.lab.removeSource(source);
  }

  async #viewOf(host: HostPhones): Promise<HostSourceView> {
    const choice = choiceOf(host, this.#tools.stores);
    const found = choice === null ? await this.#look(host) : (this.#running.get(host.name)?.seen() ?? null);
    return {
      host,
      isOn: this.isOn(host.name),
      isFixed: host.fixed !== null,
      found: found === null ? null : { ...found, phones: found.phones.slice(0, MOST_PHONES) },
    };
  }

  #look(host: HostPhones): Promise<HostLook> {
    const now = this.#tools.clock.now();
    const last = this.#looks.get(host.name);
    if (last !== undefined && now - last.at < LOOK_AGE_MS && now >= last.at) return last.look;
    const look = host.look().catch(() => NOTHING_THERE);
    this.#looks.set(host.name, { at: now, look });
    return look;
  }
}

function conflict(message: string): Refusal {
  return new Refusal('conflict', message, { message });
}

const TITLES: Readonly<Record<HostPhones['name'], string>> = {
  adb: 'An adb server on this host',
  ios: 'usbmuxd on this host',
};
