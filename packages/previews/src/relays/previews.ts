import { type Clock, Refusal } from '@svc/auth-core';
import { STREAM_KINDS, type StreamKind } from '@svc/contract';
import type { Device, FrameSource, LineSource } from '@svc/device-lab';
import { FrameRelay, type FrameViewer } from './frame-relay.ts';
import { LineRelay, type LineViewer } from './line-relay.ts';

/** Finds the sources of a device's streams. Each method returns null if the device does not offer the stream. */
export interface DeviceStreams {
  frames(device: Device): FrameSource | null;
  lines(device: Device): LineSource | null;
  video(device: Device): FrameSource | null;
}

/** Maximum number of concurrent viewers, of one device and of all devices. */
const VIEWER_BOUNDS = { ofDevice: 100, inAll: 1_000 } as const;

/**
 * Previews and logs of all devices. All viewers of a device's frames share one source, and so do all viewers of its
 * log, so that the device sends the data only once.
 */
export class Previews {
  readonly #sources: DeviceStreams;
  readonly #clock: Clock;
  readonly #frames = new Map<string, FrameRelay>();
  readonly #lines = new Map<string, LineRelay>();
  #viewers = 0;

  constructor(sources: DeviceStreams, clock: Clock) {
    this.#sources = sources;
    this.#clock = clock;
  }

  /**
   * Returns the source of a device's video, or null if the device offers no video. The caller opens the source once for
   * each viewer.
   */
  video(device: Device): FrameSource | null {
    return this.#sources.video(device);
  }

  /** @returns the kinds of streams that a device offers now, such as `frames` or `video` */
  kindsOf(device: Device): StreamKind[] {
    return STREAM_KINDS.filter((kind) => this.has(kind, device));
  }

  has(kind: StreamKind, device: Device): boolean {
    switch (kind) {
      case 'frames':
        return this.#frames.has(device.udid) || this.#sources.frames(device) !== null;
      case 'lines':
        return this.#sources.lines(device) !== null;
      case 'video':
        return this.#sources.video(device) !== null;
    }
  }

  /** @returns whether the frames of a device are single pictures taken at a low rate, and not a stream */
  isSampled(device: Device): boolean {
    return (this.#frames.get(device.udid) ?? this.#sources.frames(device))?.isSampled ?? false;
  }

  /**
   * Throws `overloaded` if the limits do not allow another viewer of this device.
   * @param kept number of the device's places that this viewer may not take
   */
  checkRoom(udid: string, kept = 0): void {
    const frames = this.#frames.get(udid)?.viewers ?? 0;
    const lines = this.#lines.get(udid)?.viewers ?? 0;
    if (frames + lines >= VIEWER_BOUNDS.ofDevice - kept || this.#viewers >= VIEWER_BOUNDS.inAll)
      throw new Refusal('overloaded', 'too many viewers');
  }

  /**
   * Adds a viewer of frames. If the device has no source of frames, the viewer ends immediately.
   * @returns a function that removes the viewer
   */
  watch(device: Device, viewer: FrameViewer): () => void {
    return this.#counted(this.#framesOf(device)?.add(viewer) ?? ended(viewer));
  }

  /**
   * Adds a viewer that records the frames. It does not count towards the maximum number of viewers. The latest frame is
   * not sent to it, because this frame may show the previous session.
   * @returns a function that removes the viewer
   */
  record(device: Device, viewer: FrameViewer): () => void {
    return this.#framesOf(device)?.follow(viewer) ?? ended(viewer);
  }

  /**
   * Adds a viewer that records the device log. It gets only new lines, because earlier lines belong to other sessions.
   * @returns a function that removes the viewer
   */
  recordLines(device: Device, viewer: LineViewer): () => void {
    return this.#linesOf(device)?.follow(viewer) ?? ended(viewer);
  }

  /**
   * Adds a viewer of log lines. If the device has no log, the viewer ends immediately.
   * @returns a function that removes the viewer
   */
  read(device: Device, viewer: LineViewer): () => void {
    return this.#counted(this.#linesOf(device)?.view(viewer) ?? ended(viewer));
  }

  /** Ends all viewers of a device. Called when the device, or the source of its preview, has disappeared. */
  end(udid: string): void {
    this.#frames.get(udid)?.end();
    this.#lines.get(udid)?.end();
    this.#lines.delete(udid);
  }

  close(): void {
    for (const udid of new Set([...this.#frames.keys(), ...this.#lines.keys()])) this.end(udid);
  }

  #framesOf(device: Device): FrameRelay | undefined {
    const { udid } = device;
    const open = this.#frames.get(udid);
    if (open !== undefined) return open;
    const source = this.#sources.frames(device);
    if (source === null) return undefined;
    const relay = new FrameRelay(source, this.#clock, () => this.#frames.delete(udid));
    this.#frames.set(udid, relay);
    return relay;
  }

  #linesOf(device: Device): LineRelay | undefined {
    const { udid } = device;
    const open = this.#lines.get(udid);
    if (open !== undefined) return open;
    const source = this.#sources.lines(device);
    if (source === null) return undefined;
    const relay = new LineRelay(source);
    this.#lines.set(udid, relay);
    return relay;
  }

  /**
   * Counts a viewer as one of the maximum number of viewers until it is removed.
   * @param remove removes the viewer
   * @returns a function that calls `remove` and stops counting the viewer
   */
  #counted(remove: () => void): () => void {
    this.#viewers += 1;
    let counted = true;
    return () => {
      if (!counted) return;
      counted = false;
      this.#viewers -= 1;
      remove();
    };
  }
}

function ended(viewer: FrameViewer | LineViewer): () => void {
  viewer.end();
  return () => undefined;
}
