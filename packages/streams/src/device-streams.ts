import type { Clock } from '@svc/auth-core';
import {
  type AdbAddress,
  AdbScreens,
  adbLines,
  type Device,
  type DeviceLab,
  type DeviceStreams,
  type DriverSession,
} from '@svc/device-lab';
import type { Outbound } from '@svc/outbound';
import { mjpegUpstream } from './mjpeg-upstream.ts';
import { videoUpstream } from './socket-upstreams.ts';
import type { UpstreamTarget } from './upstream-target.ts';

interface Tools {
  readonly lab: Pick<DeviceLab, 'sessions' | 'devices'>;
  /** Address of the adb server, and whether the lab uses adb now. */
  readonly adb: { readonly address: AdbAddress; isOn(): boolean };
  readonly clock: Clock;
  readonly outbound: Pick<Outbound, 'connection'>;
  readonly nodes: DeviceStreams;
}

/**
 * Returns the streams of devices. A device of a node is streamed by the node. The streams of other devices come from
 * the source that reported the device (virtual phones), from an address that is configured for the device, from the
 * MJPEG port of the device's session, or from adb.
 */
export function deviceStreams({ lab, adb, clock, outbound, nodes }: Tools): DeviceStreams {
  const targetAt = (url: string | null): UpstreamTarget | null =>
    url === null || !URL.canParse(url) ? null : { url, connection: outbound.connection(new URL(url)) };
  const screens = new AdbScreens(adb.address, clock);
  const isOnAdb = ({ logs }: Device) => logs === 'adb' && adb.isOn();
  return {
    frames: (device) => {
      const { udid, mjpegUrl, node } = device;
      if (node !== null) return nodes.frames(device);
      const { streams } = lab.devices.sourceOf(udid) ?? {};
      if (streams !== undefined) return streams.frames(udid);
      const addressOf = () => mjpegUrl ?? sessionAddress(lab, device);
      if (addressOf() !== null) return mjpegUpstream(() => targetAt(addressOf()));
      return isOnAdb(device) ? screens.frames(udid) : null;
    },
    lines: (device) => {
      const { udid, node } = device;
      if (node !== null) return nodes.lines(device);
      const { streams } = lab.devices.sourceOf(udid) ?? {};
      if (streams !== undefined) return streams.lines(udid);
      return isOnAdb(device) ? adbLines(adb.address, udid) : null;
    },
    video: (device) => {
      const { udid, h264Url, node } = device;
      if (node !== null) return nodes.video(device);
      if (h264Url !== null) return videoUpstream(() => targetAt(h264Url));
      return isOnAdb(device) ? screens.video(udid) : null;
    },
  };
}

/** Drivers that forward a port of this machine to the phone's MJPEG server before the session begins. */
const FORWARDING = new Set(['uiautomator2', 'xcuitest']);
/** MJPEG port that the XCUITest driver uses if its client specifies none. */
const XCUITEST_PORT = 9_100;
const FIRST_PORT = 1_024;
const LAST_PORT = 65_535;

/**
 * Returns the address at which the driver of the device's running session serves the phone's screen as MJPEG, or null
 * if no address is safe to use. The client of the session chooses the port, so it could choose one of another program
 * or session. Therefore the port is used only with drivers that forward it to the phone themselves, and not if an older
 * session uses the same port. The capability `mjpegScreenshotUrl` is ignored, because a client could name any server.
 */
function sessionAddress(lab: Pick<DeviceLab, 'sessions'>, { udid, node }: Device): string | null {
  if (node !== null) return null;
  const sessions = lab.sessions.running();
  const session = sessions.find(({ device }) => device?.udid === udid);
  const port = session === undefined ? null : portOf(session);
  if (session === undefined || port === null) return null;
  const claims = sessions.filter((each) => claimOf(each) === port);
  const isFirst = claims.every((each) => each === session || each.startedAt > session.startedAt);
  return isFirst ? `http://127.0.0.1:${port}/` : null;
}

/**
 * Returns the MJPEG port that the session's driver uses on this machine. Null if there is none, for example because the
 * session runs on a node.
 */
function claimOf(session: DriverSession): number | null {
  const isDefault = driverOf(session) === 'xcuitest' && !capabilityOf(session, 'mjpegServerPort');
  return isDefault && session.node === null ? XCUITEST_PORT : portOf(session);
}

function portOf(session: DriverSession): number | null {
  if (session.node !== null || !FORWARDING.has(driverOf(session))) return null;
  const port = Number(capabilityOf(session, 'mjpegServerPort'));
  return Number.isInteger(port) && port >= FIRST_PORT && port <= LAST_PORT ? port : null;
}

function driverOf(session: DriverSession): string {
  return String(capabilityOf(session, 'automationName')).toLowerCase();
}

function capabilityOf({ capabilities }: DriverSession, name: string): unknown {
  return capabilities[name] ?? capabilities[`appium:${name}`];
}
