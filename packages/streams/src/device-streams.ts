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
 * Returns the streams of devices. If the device belongs to a node, the node provides its streams. Otherwise they come
 * from the source that reported the device, such as the virtual phones of the local lab; from an address that is
 * configured for the device or that its session serves; or, for an Android device, from adb.
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

/** Drivers that forward an MJPEG port of this machine to the phone before the session begins. */
const FORWARDING = new Set(['uiautomator2', 'xcuitest']);
/** MJPEG port that the XCUITest driver uses if its client specifies none. */
const XCUITEST_PORT = 9_100;
const FIRST_PORT = 1_024;
const LAST_PORT = 65_535;

/**
 * Returns the address at which the driver of the running session serves the phone's screen as MJPEG, or null if no
 * address is safe to use. The client of a session chooses the port. The address is therefore used only for drivers that
 * forward this port to the phone themselves, and only on this machine's loopback with a fixed path. A port that an
 * older session also uses is refused, because it may show a phone of another team. The address in the capability
 * `mjpegScreenshotUrl` is never used, because a client could name any server.
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

/** Returns the MJPEG port that the session's driver uses on this machine, or null if the driver uses no port. */
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
