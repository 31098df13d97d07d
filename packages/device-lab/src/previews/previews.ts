import { type Clock, Refusal } from '@svc/auth-core';
import { STREAM_KINDS, type StreamKind } from '@svc/contract';
import type { Device } from '../device.ts';
import { FrameRelay, type FrameSource, type FrameViewer } from './frame-relay.ts';
import { LineRelay, type LineSource, type LineViewer } from './line-relay.ts';
import type { VideoSource } from './video-source.ts';

/** The streams of a device. Each is null if the device does not offer it. */
export interface DeviceStreams {
  frames(device: Device): FrameSource | null;
  lines(device: Device): LineSource | null;
  video(device: Device): VideoSource | null;
}

/** Limits of concurrent viewers. */
const VIEWER_BOUNDS = { ofDevice: 100, inAll: 1_000 } as const;

/** Previews and logs of all devices. All viewers of a stream share one source. */
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

  /** Video is not shared. A source is opened for each viewer. */
  video(device: Device): VideoSource | null {
    return this.#sources.video(device);
  }

  /** @returns the streams that a device offers now */
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

  /** Throws `overloaded` if there are too many viewers. Call it before a viewer is added. */
  checkRoom(udid: string): void {
    const frames = this.#frames.get(udid)?.viewers ?? 0;
    const lines = this.#lines.get(udid)?.viewers ?? 0;
    if (frames + lines >= VIEWER_BOUNDS.ofDevice || this.#viewers >= VIEWER_BOUNDS.inAll)
      throw new Refusal('overloaded', 'too many viewers');
  }

  /**
   * Adds a viewer of frames. If the device has no source, the viewer ends immediately.
   * @returns a function that removes the viewer
   */
  watch(device: Device, viewer: FrameViewer): () => void {
    return this.#counted(this.#framesOf(device)?.add(viewer) ?? ended(viewer));
  }

  /**
   * As `watch`, for a recording, which takes no viewer's place. The latest frame is left out, because it may show the
   * session before.
   */
  record(device: Device, viewer: FrameViewer): () => void {
    return this.#framesOf(device)?.follow(viewer) ?? ended(viewer);
  }

  /** As `record`, for the lines that come from now on: those before belong to other sessions. */
  recordLines(device: Device, viewer: LineViewer): () => void {
    return this.#linesOf(device)?.follow(viewer) ?? ended(viewer);
  }

  /** Adds a viewer of log lines, like `watch`. */
  read(device: Device, viewer: LineViewer): () => void {
    return this.#counted(this.#linesOf(device)?.view(viewer) ?? ended(viewer));
  }

  /** Ends all viewers of a device, because the device or the source of its preview went away. */
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

  /** Counts the viewer until it is removed. */
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
