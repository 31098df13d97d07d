import type { Color } from '../screen/phone-picture.ts';
import { PhoneScreen } from '../screen/phone-screen.ts';
import { Lockdown } from './lockdown.ts';
import { WebDriverAgent } from './web-driver-agent.ts';

/** Facts of a scripted Apple phone. */
export interface IPhoneFacts {
  readonly udid: string;
  readonly name?: string;
  /** Apple's name of the model, such as `iPhone14,5`. */
  readonly productType?: string;
  readonly osVersion?: string;
  readonly background?: Color;
}

/** A scripted iPhone: what it is, its state, and what was done to it. */
export class IPhone {
  readonly udid: string;
  readonly facts: Required<IPhoneFacts>;
  readonly screen: PhoneScreen;
  readonly agent: WebDriverAgent;
  readonly lockdown = new Lockdown(this);
  /** Whether the phone trusts this host. */
  isTrusted = true;
  hasDeveloperMode = true;
  /** Whether the tunnel of go-ios runs, without which iOS 17 and later start no WebDriverAgent. */
  hasTunnel = true;
  clipboard = '';
  isLandscape = false;
  tap: { readonly x: number; readonly y: number } | null = null;
  /** Ids of the apps that are installed. */
  readonly apps = new Set<string>(['com.facebook.WebDriverAgentRunner.xctrunner']);
  readonly #log: string[] = [];
  readonly #logSinks = new Set<(line: string) => void>();

  constructor(facts: IPhoneFacts) {
    this.udid = facts.udid;
    this.facts = {
      name: 'iPhone 13',
      productType: 'iPhone14,5',
      osVersion: '17.4',
      background: [70, 40, 110],
      ...facts,
    };
    this.screen = new PhoneScreen(() => ({
      lines: [this.facts.name, `iOS ${this.facts.osVersion}`, ...this.agent.typed.slice(-3)],
      background: this.facts.background,
      isLandscape: this.isLandscape,
      tap: this.tap,
    }));
    this.agent = new WebDriverAgent(this);
  }

  /** Width and height in points in the present orientation. */
  get size(): { readonly width: number; readonly height: number } {
    return this.isLandscape ? { width: 844, height: 390 } : { width: 390, height: 844 };
  }

  showTap(x: number, y: number): void {
    this.tap = { x: x / this.size.width, y: y / this.size.height };
    this.screen.changed();
  }

  /** Adds a line to the system log. */
  log(process: string, text: string): void {
    const time = new Date().toUTCString().slice(8, 25);
    const line = `${time} ${this.facts.name.replaceAll(' ', '-')} ${process}[100] <Notice>: ${text}`;
    this.#log.push(line);
    if (this.#log.length > 200) this.#log.shift();
    for (const sink of this.#logSinks) sink(line);
  }

  /** Calls the sink for the past and for each further line. @returns a function that stops this */
  followLog(sink: (line: string) => void): () => void {
    for (const line of this.#log) sink(line);
    this.#logSinks.add(sink);
    return () => this.#logSinks.delete(sink);
  }
}
