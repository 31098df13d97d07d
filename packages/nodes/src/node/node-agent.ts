import type { Clock, Log } from '@svc/auth-core';
import { isRecord, type StreamKind } from '@svc/contract';
import {
  accountAtHub,
  type Device,
  type DeviceLab,
  type DirectInputs,
  type HealthProbes,
  type HubHolders,
  hubHolder,
  type Lent,
  type OutAtNode,
  type OutOfService,
  type Uncleaned,
} from '@svc/device-lab';
import type { ReportedClean } from '../hub/node-report.ts';
import type { HubKeys } from '../tokens/hub-keys.ts';
import type { HubClient } from './hub-client.ts';
import type { HubSessions } from './hub-sessions.ts';
import type { ReportedCleanings } from './reported-cleanings.ts';

/** Interval of reports to the hub (ms) (contract 8.1). */
const RENEW_EVERY_MS = 10_000;
const RETRY_MS = 2_000;
/** Interval of reports (ms) while the hub has leased a phone, so that the phone is cleaned soon after the lease. */
const LEASED_EVERY_MS = 2_000;
/** Delay (ms) before a report, so that several events at nearly the same time cause only one report. */
const SOON_MS = 100;
/** Maximum length of a reason in a report. The hub refuses a report with a longer one. */
const LONGEST_REASON = 256;
/** Difference (ms) between the clocks of the hub and the node above which the node logs a warning (contract 4). */
const CLOCKS_MS = 30_000;

interface NodeAgentOptions {
  readonly hub: Pick<HubClient, 'register'>;
  readonly keys: Pick<HubKeys, 'refresh'>;
  /** Version of svc that this server runs. */
  readonly version: string;
  /** Address at which the hub reaches this server. */
  readonly url: string;
  readonly hubUrl: string;
  readonly lab: DeviceLab;
  readonly sessions: HubSessions;
  readonly previews: { kindsOf(device: Device): StreamKind[] };
  readonly direct: Pick<DirectInputs, 'offers'>;
  readonly care: Pick<OutOfService, 'on' | 'onChange'>;
  readonly health: Pick<HealthProbes, 'of'>;
  readonly cleaned: ReportedCleanings;
  readonly holders: HubHolders;
  readonly clock: Clock;
  readonly log: Log;
  /** Random id that this server chose when it started. The hub notices a restart of the node by a new id. */
  readonly boot: string;
}

/**
 * Registers this server with its hub as a node, and renews the registration. Only one report is sent at a time
 * (contract 8.1).
 */
export class NodeAgent {
  readonly #options: NodeAgentOptions;
  #basePath = '';
  #sequence = 0;
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;
  #isDue = false;
  #isStopped = true;
  /** Message that was logged last, so that a repeated message is not logged again. */
  #lastMessage = '';
  #skewed = false;
  #hubVersion: string | null = null;

  constructor(options: NodeAgentOptions) {
    this.#options = options;
    const { lab, care } = options;
    care.onChange(() => this.#renewIn(SOON_MS));
    // Also report when a session starts or ends: some streams of a phone, such as its screen, are available only while
    // a session runs on the phone.
    lab.onStart(() => this.#renewIn(SOON_MS));
    lab.onEnd(() => this.#renewIn(SOON_MS));
    const changed = (device: Device) => {
      if (device.node === null) this.#renewIn(SOON_MS);
    };
    lab.devices.onChange((_change, device) => changed(device));
    lab.devices.onUncleaned(changed);
    options.cleaned.onNew(() => this.#renewIn(SOON_MS));
  }

  /** Starts to report to the hub. Call this method after the server has begun to listen. */
  start(basePath: string): void {
    this.#basePath = basePath;
    this.#isStopped = false;
    this.#renewIn(0);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #renewIn(ms: number): void {
    if (this.#isStopped) return;
    if (this.#isAsking) {
      this.#isDue = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#renew(), ms).unref();
  }

  async #renew(): Promise<void> {
    this.#isAsking = true;
    this.#isDue = false;
    const next = await this.#report();
    this.#isAsking = false;
    this.#renewIn(this.#isDue ? SOON_MS : next);
  }

  /**
   * Sends one report to the hub. Never rejects.
   * @returns the delay until the next report (ms)
   */
  async #report(): Promise<number> {
    const { hub, keys, clock, holders, cleaned } = this.#options;
    try {
      const { version } = holders;
      const { acknowledge, items } = cleaned.next();
      const { status, body, date } = await hub.register(this.#content(items));
      if (date !== null) this.#compareClocks(clock.now() - date);
      if (status === 200) this.#compareVersions(body);
      if (status === 200) this.#say('info', 'Registered with the hub');
      else if (status === 409) this.#say('warn', `The hub refuses: ${messageOf(body)}`);
      else
        this.#say(
          'error',
          `The hub does not accept this node at ${this.#options.url}: ${status} ${messageOf(body)}`,
        );
      if (status === 200 || status === 409) {
        acknowledge();
        holders.take(leasesIn(body), version);
        await keys.refresh();
        return holders.hasLeases ? LEASED_EVERY_MS : RENEW_EVERY_MS;
      }
      return status < 500 && status !== 429 ? RENEW_EVERY_MS : RETRY_MS;
    } catch (error) {
      this.#say('error', `The hub cannot be reached: ${String((error as { code?: unknown }).code ?? error)}`);
      return RETRY_MS;
    }
  }

  #content(cleanings: readonly ReportedClean[]): object {
    const { lab, sessions, previews, direct, version, url, hubUrl, boot } = this.#options;
    const { devices } = lab;
    const own = devices.list().filter(({ udid, node }) => node === null && devices.statusOf(udid) !== 'away');
    return {
      url,
      version,
      basePath: this.#basePath,
      hubUrl,
      devices: own.map((device) => {
        const { udid, name, platform, osVersion, model, manufacturer, apiLevel, kind, avd } = device;
        const facts = { model, manufacturer, apiLevel, kind, avd, tags: device.sourceTags ?? [] };
        const directInput = direct.offers(device);
        const state = {
          outOfService: this.#outOfService(udid),
          health: this.#options.health.of(udid),
          uncleaned: uncleanedOf(devices.uncleanedOf(udid)),
        };
        const streams = previews.kindsOf(device);
        return { udid, name, platform, osVersion, ...facts, streams, directInput, ...state };
      }),
      sessions: {
        ...{ boot, sequence: this.#sequence++, running: sessions.running(), ended: sessions.ended() },
        cleaned: cleanings,
      },
    };
  }

  #outOfService(udid: string): OutAtNode | null {
    const row = this.#options.care.on(udid);
    if (row === null) return null;
    const { reason, byId, since, until } = row;
    return { reason: reason.slice(0, LONGEST_REASON), isByLab: byId === null, since, until };
  }

  #compareClocks(ms: number): void {
    const isSkewed = Math.abs(ms) > CLOCKS_MS;
    if (isSkewed && !this.#skewed) {
      const seconds = Math.round(Math.abs(ms) / 1000);
      this.#options.log.warn(
        `The clocks of the hub and this node differ by ${seconds} s; more than ${CLOCKS_MS / 1000} s is refused`,
      );
    }
    this.#skewed = isSkewed;
  }

  /**
   * Logs a warning if the hub runs another version of svc than this node, because both must be upgraded together
   * (specification 9.2). The warning is not repeated until the version of the hub changes.
   */
  #compareVersions(body: unknown): void {
    const { version } = this.#options;
    const hubVersion = isRecord(body) && typeof body.hubVersion === 'string' ? body.hubVersion : null;
    if (hubVersion === this.#hubVersion) return;
    this.#hubVersion = hubVersion;
    if (hubVersion !== version && hubVersion !== null)
      this.#options.log.warn(
        `The hub runs svc ${hubVersion.slice(0, 64)}, this node ${version}: upgrade hub and nodes together`,
      );
  }

  #say(level: 'info' | 'warn' | 'error', message: string): void {
    if (message === this.#lastMessage) return;
    this.#lastMessage = message;
    this.#options.log[level](message);
  }
}

function uncleanedOf(uncleaned: Uncleaned | undefined): Uncleaned | null {
  return uncleaned === undefined ? null : { ...uncleaned, holderId: accountAtHub(uncleaned.holderId) };
}

/** Reads the leases on this node's phones in a response of the hub. */
function leasesIn(body: unknown): Lent[] {
  const leases = isRecord(body) && Array.isArray(body.leases) ? body.leases : [];
  return leases.flatMap((each: unknown) => {
    if (!isRecord(each) || typeof each.udid !== 'string' || typeof each.holder !== 'string') return [];
    const ownerId = hubHolder(each.holder);
    return ownerId === null ? [] : [{ udid: each.udid, ownerId }];
  });
}

function messageOf(body: unknown): string {
  if (!isRecord(body)) return 'without a reason';
  const { message, error } = body;
  return String(message ?? error ?? 'without a reason').slice(0, 1_024);
}
