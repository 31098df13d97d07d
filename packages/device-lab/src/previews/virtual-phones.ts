import type { Clock } from '@svc/auth-core';
import type { DeviceLab } from '../device-lab.ts';
import type { DriverSession } from '../driver-session.ts';
import { type DeviceInput, inputNote } from '../start-session.ts';
import { LINE_BOUNDS, type LineSink, type LineSource, shownLine } from './line-relay.ts';

/** What a virtual phone's screen shows. */
export interface ScreenContent {
  readonly udid: string;
  /** Null: no session runs on it. */
  readonly session: string | null;
  /** ms since 1970. */
  readonly at: number;
}

const TICK_MS = 1_000;
/** Lines of its own are short; what they quote is not. */
const LONGEST_NOTE = 200;

interface VirtualPhone {
  kept: string[];
  ticks: number;
  readonly sinks: Set<LineSink>;
}

/** The phones of a lab without real ones: what their screens show and their logs say (contract 9). */
export class VirtualPhones {
  readonly #lab: Pick<DeviceLab, 'sessions' | 'devices' | 'onStart' | 'onEnd'>;
  readonly #clock: Clock;
  readonly #phones = new Map<string, VirtualPhone>();

  constructor(lab: Pick<DeviceLab, 'sessions' | 'devices' | 'onStart' | 'onEnd'>, clock: Clock) {
    this.#lab = lab;
    this.#clock = clock;
    lab.onStart((session) => this.#noteOf(session, 'started'));
    lab.onEnd((session) => this.#noteOf(session, `ended: ${session.status}`));
  }

  screen(udid: string): ScreenContent {
    const session = this.#lab.sessions.running().find(({ device }) => device?.udid === udid);
    const name = session === undefined ? null : (session.name ?? shortened(session));
    return { udid, session: name, at: this.#clock.now() };
  }

  /** A line for the phone's log. */
  note(udid: string, text: string): void {
    const phone = this.#phoneOf(udid);
    const line = `${new Date(this.#clock.now()).toISOString()} ${shownLine(text).slice(0, LONGEST_NOTE)}`;
    phone.kept.push(line);
    if (phone.kept.length > LINE_BOUNDS.kept) phone.kept = phone.kept.slice(-LINE_BOUNDS.kept / 2);
    for (const sink of phone.sinks) sink.line(line);
  }

  /** Of what is put into it the phone notes how much it was. Its driver knows no clipboard, so it has none to fill. */
  noteInput(udid: string, input: DeviceInput): void {
    this.note(udid, inputNote(input));
  }

  /** Its lines so far and those that follow. It ticks while somebody reads along. */
  lines(udid: string): LineSource {
    return {
      open: (sink) => {
        const phone = this.#phoneOf(udid);
        for (const line of phone.kept) sink.line(line);
        phone.sinks.add(sink);
        const timer = setInterval(() => {
          phone.ticks += 1;
          this.note(udid, `tick ${phone.ticks}`);
        }, TICK_MS);
        return () => {
          clearInterval(timer);
          phone.sinks.delete(sink);
        };
      },
    };
  }

  #noteOf(session: DriverSession, what: string): void {
    const { device } = session;
    if (device === null || this.#lab.devices.byUdid(device.udid)?.logs !== 'virtual') return;
    this.note(device.udid, `session ${shortened(session)} ${what}`);
  }

  #phoneOf(udid: string): VirtualPhone {
    let phone = this.#phones.get(udid);
    if (phone === undefined) {
      phone = { kept: [], ticks: 0, sinks: new Set() };
      this.#phones.set(udid, phone);
    }
    return phone;
  }
}

/**
 * Whoever sees the phone sees this, also of others' sessions; unless commands are checked, the whole id is all it
 * takes to drive one (specification 5.7).
 */
function shortened({ id }: DriverSession): string {
  return id.slice(0, 8);
}
