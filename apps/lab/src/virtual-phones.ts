import type { Clock } from '@svc/auth-core';
import {
  type DeviceInput,
  type DeviceSource,
  type DriverSession,
  inputNote,
  type LabSessions,
  listedDevices,
  type SessionInput,
  type SourceDevice,
} from '@svc/device-lab';
import { PhoneLogs } from './virtual-phones/phone-logs.ts';
import { type ScreenContent, screenOf } from './virtual-phones/screen.ts';
import { ScreenDrawer } from './virtual-phones/screen-drawer.ts';

interface VirtualPhoneOptions {
  readonly count: number;
  /** Prefix of the phones' ids, which are `<prefix>-1`, `<prefix>-2` and so on. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Draws a screen and returns it as a JPEG. The default implementation draws in another thread. */
  readonly draw?: (content: ScreenContent) => Promise<Uint8Array>;
}

/** Returns virtual phones for a lab without real phones. Each of them has a preview and log lines (contract 9). */
export function virtualPhones(options: VirtualPhoneOptions): DeviceSource {
  const { count, prefix, clock, draw = drawInThread() } = options;
  const phones = Array.from({ length: count }, (_, index) => phoneOf(prefix, index + 1));
  const udids = new Set(phones.map(({ udid }) => udid));
  const logs = new PhoneLogs(clock);
  let sessions: LabSessions['sessions'] = { running: () => [] };
  const screen = (udid: string): ScreenContent => {
    const session = sessions.running().find(({ device }) => device?.udid === udid);
    const name = session === undefined ? null : (session.name ?? shortId(session));
    return { udid, session: name, at: clock.now() };
  };
  const note = (session: DriverSession, event: string): void => {
    const { device } = session;
    if (device !== null && udids.has(device.udid))
      logs.note(device.udid, `session ${shortId(session)} ${event}`);
  };
  return {
    ...listedDevices('virtual', phones),
    follow: (lab) => {
      sessions = lab.sessions;
      lab.onStart((session) => note(session, 'started'));
      lab.onEnd((session) => note(session, `ended: ${session.status}`));
    },
    streams: {
      frames: (udid) => screenOf(() => screen(udid), draw),
      lines: (udid) => logs.lines(udid),
    },
    input: async (udid, input, session) => {
      await put(input, session);
      logs.note(udid, inputNote(input));
    },
  };
}

function drawInThread(): (content: ScreenContent) => Promise<Uint8Array> {
  const drawer = new ScreenDrawer();
  return (content) => drawer.draw(content);
}

/**
 * Passes an input to the session of a phone. Clipboard content is discarded, because the driver of the virtual phones
 * has no clipboard; such an input only restarts the idle time-out of the session.
 */
async function put(input: DeviceInput, session: SessionInput): Promise<void> {
  if (input.kind === 'clipboard') await session.keepAlive();
  else await session.drive();
}

function phoneOf(prefix: string, number: number): SourceDevice {
  return {
    udid: `${prefix}-${number}`,
    name: `Virtual phone ${number}`,
    platform: 'Fake',
    osVersion: '1.0',
    node: null,
    mjpegUrl: null,
    h264Url: null,
    logs: null,
    kind: 'virtual',
  };
}

/**
 * Returns the first 8 characters of the session id. They are shown to everyone who may see the phone, including users
 * who do not own the session. The whole id stays secret, because a client that knows it can control the session if the
 * server does not check the credentials of commands (specification 5.7).
 */
function shortId({ id }: DriverSession): string {
  return id.slice(0, 8);
}
