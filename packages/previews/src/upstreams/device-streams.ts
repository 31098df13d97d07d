import type { Clock } from '@svc/auth-core';
import type { AdbAddress, Device, DeviceLab, DriverSession } from '@svc/device-lab';
import type { Outbound } from '@svc/outbound';
import { adbLines } from '../phones/adb-lines.ts';
import { AdbScreens } from '../phones/adb-screens.ts';
import { iosLines } from '../phones/ios-lines.ts';
import { wdaPictures } from '../phones/wda-pictures.ts';
import type { DeviceStreams } from '../relays/previews.ts';
import { mjpegUpstream } from './mjpeg-upstream.ts';
import { videoUpstream } from './socket-upstreams.ts';
import type { UpstreamTarget } from './upstream-target.ts';

interface Tools {
  readonly lab: Pick<DeviceLab, 'sessions' | 'devices' | 'places'>;
  /** Address of the adb server, and whether the lab uses adb now. */
  readonly adb: { readonly address: AdbAddress; isOn(): boolean };
  /** Environment of go-ios, and whether it reads this phone of the host now. */
  readonly ios: { readonly env: Readonly<Record<string, string>>; isReadable(udid: string): boolean };
  readonly clock: Clock;
  readonly outbound: Pick<Outbound, 'connection'>;
  readonly nodes: DeviceStreams;
}

/**
 * Returns the streams of devices. A device of a node is streamed by the node. The streams of other devices come from
 * the source that reported the device (virtual phones), from an address that is configured for the device, from the
 * MJPEG port of the device's session, or from adb.
 */
export function deviceStreams({ lab, adb, ios, clock, outbound, nodes }: Tools): DeviceStreams {
  const targetAt = (url: string | null): UpstreamTarget | null =>
    url === null || !URL.canParse(url) ? null : { url, connection: outbound.connection(new URL(url)) };
  const screens = new AdbScreens(adb.address, clock);
  const isOnAdb = ({ logs }: Device) => logs === 'adb' && adb.isOn();
  return {
    frames: (device) => {
      const { udid, mjpegUrl, wdaUrl, node } = device;
      if (node !== null) return nodes.frames(device);
      const { streams } = lab.devices.sourceOf(udid) ?? {};
      if (streams !== undefined) return streams.frames(udid);
      const addressOf = () => mjpegUrl ?? sessionAddress(lab, device);
      if (addressOf() !== null) return mjpegUpstream(() => targetAt(addressOf()));
      if (typeof wdaUrl === 'string') return wdaPictures(wdaUrl);
      return isOnAdb(device) ? screens.frames(udid) : null;
    },
    lines: (device) => {
      const { udid, node } = device;
      if (node !== null) return nodes.lines(device);
      const { streams } = lab.devices.sourceOf(udid) ?? {};
      if (streams !== undefined) return streams.lines(udid);
      if (isOnAdb(device)) return adbLines(adb.address, udid);
      return ios.isReadable(udid) ? iosLines(udid, ios.env) : null;
    },
    video: (device) => {
      const { udid, h264Url, node } = device;
      if (node !== null) return nodes.video(device);
      if (h264Url !== null) return videoUpstream(() => targetAt(h264Url));
      return isOnAdb(device) ? screens.video(udid) : null;
    },
  };
}

/**
 * Returns the address at which the driver of the device's running session serves the phone's screen as MJPEG, or null if
 * there is none. Only a port that the lab gave to this session is used, and only if the driver's response names it,
 * because another port could belong to another program or show another phone (contract 14.2). The capability
 * `mjpegScreenshotUrl` is ignored, because a client could name any server.
 */
function sessionAddress(lab: Pick<DeviceLab, 'sessions' | 'places'>, { udid, node }: Device): string | null {
  if (node !== null) return null;
  const session = lab.sessions.runningOn(udid);
  const port = session === undefined ? null : lab.places.mjpegPortOf(session.id);
  if (session === undefined || port === null || Number(capabilityOf(session, 'mjpegServerPort')) !== port)
    return null;
  return `http://127.0.0.1:${port}/`;
}

function capabilityOf({ capabilities }: DriverSession, name: string): unknown {
  return capabilities[name] ?? capabilities[`appium:${name}`];
}
