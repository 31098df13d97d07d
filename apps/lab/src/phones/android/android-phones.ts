import type { Server } from 'node:net';
import { AdbServer } from './adb-server.ts';
import { type AndroidFacts, AndroidPhone, type PhoneState } from './android-phone.ts';
import { startEmulatorConsole } from './emulator-console.ts';

/** Facts of a phone, and the state in which it is plugged in; null if it is not plugged in yet. */
export interface PluggedFacts extends AndroidFacts {
  readonly state?: PhoneState | null;
}

export interface AndroidPhonesOptions {
  readonly phones: readonly PluggedFacts[];
  /** Port of the adb server; by default any free port. */
  readonly adbPort?: number;
}

/** Scripted Android phones behind a scripted adb server. */
export class AndroidPhones {
  readonly adb = new AdbServer();
  readonly #phones: ReadonlyMap<string, AndroidPhone>;
  readonly #consoles: Server[] = [];

  private constructor(phones: readonly PluggedFacts[]) {
    this.#phones = new Map(phones.map((facts) => [facts.serial, new AndroidPhone(facts)]));
    for (const { serial, state = 'device' } of phones)
      if (state !== null) this.adb.plug(this.phone(serial), state);
  }

  /** Starts the adb server, and the console of each emulator at the port that its serial names. */
  static async start({ phones, adbPort = 0 }: AndroidPhonesOptions): Promise<AndroidPhones> {
    const started = new AndroidPhones(phones);
    await started.adb.start(adbPort);
    for (const { serial, facts } of started.all) {
      const port = /^emulator-(\d+)$/.exec(serial)?.[1];
      if (port !== undefined && facts.avd !== null)
        started.#consoles.push(await startEmulatorConsole(Number(port), facts.avd));
    }
    return started;
  }

  get all(): readonly AndroidPhone[] {
    return [...this.#phones.values()];
  }

  phone(serial: string): AndroidPhone {
    const phone = this.#phones.get(serial);
    if (phone === undefined) throw new Error(`There is no phone ${serial}`);
    return phone;
  }

  plug(serial: string, state: PhoneState = 'device'): void {
    this.adb.plug(this.phone(serial), state);
  }

  unplug(serial: string): void {
    this.adb.unplug(serial);
  }

  async stop(): Promise<void> {
    await this.adb.stop();
    await Promise.all(this.#consoles.map((each) => new Promise((closed) => each.close(closed))));
  }
}
