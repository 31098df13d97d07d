import type { Audit, Clock, Log, Random, Stores } from '@svc/auth-core';
import { instant } from '@svc/module';
import type { DeviceLab } from '../device-lab.ts';
import { CommandEvents } from './command-events.ts';
import { EventFeed } from './event-feed.ts';
import { EventLog, type EventLogStore } from './event-log.ts';

interface LiveEventsOptions {
  readonly stores: Pick<Stores, 'accounts'> & { readonly eventLog: EventLogStore };
  readonly audit: Audit;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly retentionDays: () => number;
}

export interface LiveEvents {
  readonly eventFeed: EventFeed;
  readonly eventLog: EventLog;
  /** Collects the WebDriver commands of running sessions, and publishes them as events. */
  readonly commands: CommandEvents;
  /** Starts to forward the events of the lab to open connections and to the event log. */
  follow(lab: Pick<DeviceLab, 'events'>): void;
}

/** Creates the services that forward events to open connections and to the event log (specification 6). */
export function liveEvents({
  stores,
  audit,
  clock,
  random,
  log,
  retentionDays,
}: LiveEventsOptions): LiveEvents {
  const eventFeed = new EventFeed({ clock, random });
  const commands = new CommandEvents(eventFeed);
  const eventLog = new EventLog({ store: stores.eventLog, clock, log, retentionDays });
  audit.watch({
    get wanted() {
      return eventFeed.collects;
    },
    written: ({ at, ...row }) => {
      commands.flush();
      const actorEmail = row.actor === null ? null : (stores.accounts.byId(row.actor)?.email ?? null);
      const payload = { ...row, at: instant(at), actorEmail };
      eventFeed.publish('audit', { type: 'audit', at, payload, audience: { kind: 'admins' } });
    },
  });
  return {
    eventFeed,
    eventLog,
    commands,
    follow: ({ events }) => {
      events.subscribe((event) => {
        // Publishes the waiting command events first, because they are older than this event.
        commands.flush();
        const id = eventFeed.publish('lab', event);
        if (event.isLogged !== false) eventLog.add({ ...event, id });
      });
    },
  };
}
