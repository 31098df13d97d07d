import type { Clock, Log } from '@svc/auth-core';
import type { Admission } from './admission.ts';
import type { CommandLog } from './command-log/command-log.ts';
import { maskText } from './command-log/mask.ts';
import type { Device } from './device.ts';
import type { Devices } from './devices.ts';
import type { DriverSession, DriverSessionChange } from './driver-session.ts';
import type { DriverSessions, SessionEnd } from './driver-sessions.ts';
import type { LabEvents } from './events/lab-events.ts';
import { sessionEvent } from './events/session-events.ts';
import type { PhoneQueue } from './queue/phone-queue.ts';
import type { Reservation } from './reservations.ts';
import { RunningDrivers } from './running-drivers.ts';
import { SessionNotRecorded, sessionRecord } from './session-record.ts';
import type { StartedSession } from './start-session.ts';

const LONGEST_REASON = 2_048;

interface Tools {
  readonly sessions: DriverSessions;
  readonly devices: Devices;
  readonly queue: PhoneQueue;
  readonly commandLog: CommandLog;
  readonly events: LabEvents;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Records how each session starts, changes and ends. When a session ends, its device is freed and the requests that
 * wait for a phone are tried again.
 */
export class SessionLifecycle {
  /** Drivers of the running sessions. */
  readonly drivers: RunningDrivers;
  readonly #tools: Tools;
  readonly #startListeners: ((started: DriverSession, admission: Admission) => void)[] = [];
  readonly #endListeners: ((ended: DriverSession) => void)[] = [];

  constructor(tools: Tools) {
    this.#tools = tools;
    this.drivers = new RunningDrivers(tools.log);
  }

  /** Adds a listener that is called once for each session that started. The listener must not throw. */
  onStart(report: (started: DriverSession, admission: Admission) => void): void {
    this.#startListeners.push(report);
  }

  /** Adds a listener that is called once for each session that ended. The listener must not throw. */
  onEnd(report: (ended: DriverSession) => void): void {
    this.#endListeners.push(report);
  }

  /**
   * Records a session that has started, with its owner. If that fails, ends the session and rejects with
   * `SessionNotRecorded`.
   */
  async record(
    reservation: Reservation,
    admission: Admission,
    started: StartedSession,
  ): Promise<DriverSession> {
    const { sessions, devices, events, clock, log } = this.#tools;
    const record = sessionRecord(started, admission, reservation.device, clock.now());
    try {
      sessions.record(record);
    } catch (error) {
      const fields = { session: started.id, request: admission.requestId, cause: String(error) };
      log.error('A session could not be recorded and is ended', fields);
      await this.drivers.stop(started);
      throw new SessionNotRecorded({ cause: error });
    }
    reservation.confirm();
    this.resume(started);
    for (const report of this.#startListeners) report(record, admission);
    events.publish(sessionEvent('session_started', record));
    const { device } = reservation;
    // The device may have disappeared while the session started. If so, end the session. A session on a node continues,
    // because the node reports when it ends.
    const isGone = device !== null && devices.statusOf(device.udid) === 'away';
    if (isGone && started.node === undefined) this.loseSessionsOn(device);
    const { requestId, lacksCredentials } = admission;
    const request = {
      ...(requestId == null ? {} : { request: requestId }),
      ...(reservation.waitedMs === 0 ? {} : { waitedMs: reservation.waitedMs }),
    };
    if (lacksCredentials)
      log.warn('Session created without valid credentials', { session: record.id, ...request });
    else log.info('Session created', { session: record.id, owner: record.ownerId ?? 'none', ...request });
    return record;
  }

  /**
   * Adds a running session: one that was just started, or one on a node that continued while this server was restarted.
   * Its end is recorded when its driver reports it.
   */
  resume(started: StartedSession): void {
    this.drivers.add(started, (end) => this.recordEnd(started.id, end));
  }

  /** Changes the stored record of a session, and publishes the change if there are event listeners. */
  change(id: string, change: DriverSessionChange): void {
    const { sessions, events } = this.#tools;
    sessions.change(id, change);
    if (!events.hasListeners) return;
    const session = sessions.byId(id);
    if (session !== undefined) events.publish(sessionEvent('session_changed', session));
  }

  /**
   * Ends a running session and its driver. Concurrent calls end the session only once. Ending a finished session has no
   * effect.
   */
  async end(id: string, end: SessionEnd): Promise<void> {
    await this.drivers.end(id, () => this.recordEnd(id, end));
  }

  /** Records the end of a session and frees its device. Only the first call for a session has an effect. */
  recordEnd(id: string, end: SessionEnd): DriverSession | undefined {
    // Mask the reason, because the message of a driver may quote capabilities that contain secrets.
    const reason = end.reason === null ? null : maskText(end.reason).slice(0, LONGEST_REASON);
    const { sessions, devices, queue, commandLog, events } = this.#tools;
    const session = sessions.end(id, { ...end, reason });
    if (session === undefined) return undefined;
    this.drivers.forget(id);
    // The sessions of this server end with `Hub Restart` when the server is about to stop. Close the queue first, so
    // that no waiting request gets the device that becomes free.
    if (end.category === 'Hub Restart' && session.node === null) queue.close();
    if (session.device !== null) devices.release(session.device.udid);
    queue.wake();
    commandLog.end(id);
    for (const report of this.#endListeners) report(session);
    events.publish(sessionEvent('session_ended', session));
    return session;
  }

  /**
   * Ends the sessions on a device that has disappeared. Records their ends immediately and does not wait for the
   * drivers, which may take long.
   */
  loseSessionsOn({ udid }: Device): void {
    for (const { id, device } of this.#tools.sessions.running()) {
      if (device?.udid === udid && this.drivers.startEnding(id))
        this.recordEnd(id, { category: 'Session Lost', reason: 'the phone was disconnected' });
    }
  }
}
