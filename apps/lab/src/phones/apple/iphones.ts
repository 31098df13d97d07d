import { join } from 'node:path';
import { GoIos } from './go-ios.ts';
import { IPhone, type IPhoneFacts } from './iphone.ts';
import { Usbmuxd } from './usbmuxd.ts';

export interface IPhonesOptions {
  readonly phones: readonly IPhoneFacts[];
  readonly areAgentsRunning?: boolean;
}

/** Scripted iPhones with a scripted usbmuxd and the program `ios` of go-ios. */
export class IPhones {
  readonly usbmuxd = new Usbmuxd();
  readonly goIos = new GoIos(() => [...this.#plugged].map((udid) => this.phone(udid)));
  readonly #phones: ReadonlyMap<string, IPhone>;
  readonly #plugged = new Set<string>();

  private constructor(phones: readonly IPhoneFacts[]) {
    this.#phones = new Map(phones.map((facts) => [facts.udid, new IPhone(facts)]));
  }

  /** Starts with all phones plugged in. With `areAgentsRunning` false, go-ios has to start their WebDriverAgents. */
  static async start({ phones, areAgentsRunning = true }: IPhonesOptions): Promise<IPhones> {
    const started = new IPhones(phones);
    for (const { agent } of started.all) agent.isRunning = areAgentsRunning;
    await started.goIos.start();
    await started.usbmuxd.start(started.#socket);
    for (const { udid } of phones) started.plug(udid);
    return started;
  }

  /** Environment of a server that uses these phones. */
  get env(): { readonly USBMUXD_SOCKET_ADDRESS: string; readonly PATH: string } {
    return {
      USBMUXD_SOCKET_ADDRESS: `UNIX:${this.#socket}`,
      PATH: `${this.goIos.folder}:${process.env.PATH ?? ''}`,
    };
  }

  get all(): readonly IPhone[] {
    return [...this.#phones.values()];
  }

  phone(udid: string): IPhone {
    const phone = this.#phones.get(udid);
    if (phone === undefined) throw new Error(`There is no phone ${udid}`);
    return phone;
  }

  plug(udid: string): void {
    this.#plugged.add(udid);
    this.usbmuxd.plug(this.phone(udid));
  }

  unplug(udid: string): void {
    this.#plugged.delete(udid);
    this.usbmuxd.unplug(udid);
  }

  async stop(): Promise<void> {
    for (const { agent } of this.all) agent.close();
    await this.usbmuxd.stop();
    await this.goIos.stop();
  }

  /** Removes the files at the end of a process, which cannot wait for `stop`. */
  removeFiles(): void {
    this.goIos.removeFiles();
  }

  get #socket(): string {
    return join(this.goIos.folder, 'usbmuxd');
  }
}
