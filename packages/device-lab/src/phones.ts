import type { PhoneSetting, PhoneSettingStore } from './phone-settings.ts';

/** A phone of the lab. `teamId` null: the shared pool (contract 3.5). */
export interface Phone {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  readonly teamId: string | null;
}

export type PhoneStatus = 'free' | 'busy' | 'away';

/** What a session asks of a phone. */
export interface PhoneWish {
  /** Names one phone; null: any. */
  readonly udid: string | null;
  /** `platformName`, any letter case; null: any. */
  readonly platform: string | null;
  /** Only phones of this team; null: any the caller may see. */
  readonly teamId: string | null;
  /** Whether the caller may see phones of a team, or of the shared pool (null). */
  readonly maySee: (teamId: string | null) => boolean;
}

/** Why no phone was given out; the message is for the client. */
export class NoPhone extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoPhone';
  }
}

/** The phones of this server and who has which. A phone is held from the moment a session starts to its end. */
export class Phones {
  readonly #settings: PhoneSettingStore;
  readonly #phones = new Map<string, Phone>();
  readonly #present = new Set<string>();
  readonly #held = new Set<string>();
  readonly #tags = new Map<string, readonly string[]>();

  /** `phones` are there now; those an Admin has settings for are known, too, while they are away. */
  constructor(phones: Iterable<Phone>, settings: PhoneSettingStore) {
    this.#settings = settings;
    for (const phone of phones) {
      this.#phones.set(phone.udid, phone);
      this.#present.add(phone.udid);
    }
    for (const { tags, ...known } of settings.all()) {
      const present = this.#phones.get(known.udid);
      this.#phones.set(known.udid, present === undefined ? known : { ...present, teamId: known.teamId });
      this.#tags.set(known.udid, tags);
    }
  }

  /** Without inventory the lab gives out no phones and sessions just run. */
  get isEmpty(): boolean {
    return this.#present.size === 0;
  }

  list(): Phone[] {
    return [...this.#phones.values()];
  }

  byUdid(udid: string): Phone | undefined {
    return this.#phones.get(udid);
  }

  tagsOf(udid: string): readonly string[] {
    return this.#tags.get(udid) ?? [];
  }

  /** Undefined: no such phone. A session that runs on it goes on. */
  change(udid: string, change: Partial<Pick<PhoneSetting, 'teamId' | 'tags'>>): Phone | undefined {
    const phone = this.#phones.get(udid);
    if (phone === undefined) return undefined;
    const setting = { ...phone, tags: this.tagsOf(udid), ...change };
    this.#settings.save(setting);
    const { tags, ...changed } = setting;
    this.#phones.set(udid, changed);
    this.#tags.set(udid, tags);
    return changed;
  }

  statusOf(udid: string): PhoneStatus {
    if (!this.#present.has(udid)) return 'away';
    return this.#held.has(udid) ? 'busy' : 'free';
  }

  /** Holds a free phone that fits, or throws `NoPhone`. A hidden phone and an unknown one read alike. */
  hold(wish: PhoneWish): Phone {
    const fitting = this.list().filter((phone) => this.#present.has(phone.udid) && fits(phone, wish));
    if (fitting.length === 0) throw new NoPhone(noneFits(wish));
    const free = fitting.find((phone) => !this.#held.has(phone.udid));
    if (free === undefined)
      throw new NoPhone(wish.udid === null ? 'every phone that fits is busy' : 'the phone is busy');
    this.#held.add(free.udid);
    return free;
  }

  release(udid: string): void {
    this.#held.delete(udid);
  }
}

function fits(phone: Phone, wish: PhoneWish): boolean {
  if (wish.udid !== null && phone.udid !== wish.udid) return false;
  if (wish.platform !== null && phone.platform.toLowerCase() !== wish.platform.toLowerCase()) return false;
  if (wish.teamId !== null && phone.teamId !== wish.teamId) return false;
  return wish.maySee(phone.teamId);
}

function noneFits(wish: PhoneWish): string {
  return wish.udid === null ? 'no phone of this lab fits the capabilities' : 'this lab has no such phone';
}

/** The farm a lab without real phones starts with (contract 9). */
export function virtualPhones(count: number, prefix: string): Phone[] {
  return Array.from({ length: count }, (_, index) => ({
    udid: `${prefix}-${index + 1}`,
    name: `Virtual phone ${index + 1}`,
    platform: 'Fake',
    osVersion: '1.0',
    teamId: null,
  }));
}
