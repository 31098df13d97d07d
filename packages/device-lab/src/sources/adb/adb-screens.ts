import type { Clock } from '@svc/auth-core';
import type { FrameSource } from '../../previews/frame-relay.ts';
import { SharedVideo, type VideoPatience } from '../../previews/shared-video.ts';
import type { VideoSource } from '../../previews/video-source.ts';
import type { AdbAddress } from './adb-connection.ts';
import { adbPictures } from './adb-pictures.ts';
import { adbVideo } from './adb-video.ts';

/** Time limits for showing a screen, in ms. */
interface Patience extends VideoPatience {
  /** Length of a pause in the stream after which a picture counts as complete. */
  readonly pause: number;
  /** Time for which a phone is shown only by `screencap` after its `screenrecord` has failed. */
  readonly unusable: number;
  /** Minimum time between two calls of `screencap`. */
  readonly betweenPictures: number;
}

const PATIENCE: Patience = {
  firstPicture: 4_000,
  betweenStarts: 1_000,
  pause: 100,
  unusable: 60_000,
  betweenPictures: 1_000,
};

/**
 * Shows the screens of the phones of an adb server. This needs only the programs `screenrecord` and `screencap`, which
 * are part of Android.
 */
export class AdbScreens {
  readonly #address: AdbAddress;
  readonly #clock: Clock;
  readonly #patience: Patience;
  /** Videos by serial, only of phones that are being watched. */
  readonly #videos = new Map<string, SharedVideo>();
  /** Times at which `screenrecord` may be tried again (ms since 1970), by serial. */
  readonly #unusableUntil = new Map<string, number>();

  constructor(address: AdbAddress, clock: Clock, patience: Partial<Patience> = {}) {
    this.#address = address;
    this.#clock = clock;
    this.#patience = { ...PATIENCE, ...patience };
  }

  /** @returns the video of a phone, or null if `screenrecord` failed on the phone a short time ago */
  video(serial: string): VideoSource | null {
    const until = this.#unusableUntil.get(serial) ?? 0;
    if (this.#clock.now() < until) return null;
    this.#unusableUntil.delete(serial);
    return { open: (sink) => this.#shared(serial).open(sink) };
  }

  /** @returns pictures of a phone at a low rate, for viewers without H.264 and for recordings */
  frames(serial: string): FrameSource {
    return adbPictures(this.#address, serial, this.#patience.betweenPictures);
  }

  #shared(serial: string): SharedVideo {
    const open = this.#videos.get(serial);
    if (open !== undefined) return open;
    const video = new SharedVideo({
      source: adbVideo(this.#address, serial, this.#patience.pause),
      clock: this.#clock,
      patience: this.#patience,
      closed: (isUnusable) => {
        this.#videos.delete(serial);
        if (isUnusable) this.#unusableUntil.set(serial, this.#clock.now() + this.#patience.unusable);
      },
    });
    this.#videos.set(serial, video);
    return video;
  }
}
