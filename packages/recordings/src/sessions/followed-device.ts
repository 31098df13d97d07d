import type { DeviceLab } from '@svc/device-lab';
import type { Previews } from '@svc/previews';
import type { LiveRecording } from '../storage/live-recording.ts';

/**
 * Interval (ms) at which the device's preview and log are looked for again, because a preview can end, and some
 * previews appear only once the driver has opened them.
 */
const LOOK_EVERY_MS = 2_000;

interface FollowOptions {
  readonly lab: Pick<DeviceLab, 'devices'>;
  readonly previews: Pick<Previews, 'has' | 'isSampled' | 'record' | 'recordLines'>;
  readonly udid: string;
  readonly withLines: boolean;
}

/**
 * Passes the pictures and, with `withLines`, the log lines of a device to a recording. If the device has no preview or
 * no log yet, looks for them again every `LOOK_EVERY_MS`.
 * @returns a function that ends this
 */
export function followDevice(
  live: LiveRecording,
  { lab, previews, udid, withLines }: FollowOptions,
): () => void {
  const open = new Map<'frames' | 'lines', () => void>();
  const ended = (kind: 'frames' | 'lines') => () => {
    open.delete(kind);
    if (kind === 'frames') live.frameEnded();
  };
  const look = (): void => {
    const device = lab.devices.byUdid(udid);
    if (device === undefined) return;
    if (!open.has('frames') && previews.has('frames', device)) {
      const end = ended('frames');
      open.set('frames', () => undefined);
      const isSampled = previews.isSampled(device);
      const frame = (picture: Uint8Array) => (isSampled ? live.sample(picture) : live.frame(picture));
      const leave = previews.record(device, { frame, end });
      if (open.has('frames')) open.set('frames', leave);
    }
    if (withLines && !open.has('lines') && previews.has('lines', device)) {
      const end = ended('lines');
      open.set('lines', () => undefined);
      const leave = previews.recordLines(device, { line: (text) => live.line(text), end });
      if (open.has('lines')) open.set('lines', leave);
    }
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    for (const leave of open.values()) leave();
    open.clear();
  };
}
