import type { Clock } from '@svc/auth-core';
import type { AdbAddress, FrameSource } from '@svc/device-lab';
import { SharedVideo, type VideoPatience } from '../relays/shared-video.ts';
import { adbPictures } from './adb-pictures.ts';
import { adbVideo } from './adb-video.ts';

/** Time limits for showing a screen, in ms. */
interface Patience extends VideoPatience {
  /** Time without data after which the last picture of the stream counts as complete. */
  readonly pause: number;
  /**
   * Time for which `screenrecord` is not tried again on a phone on which it has failed. Meanwhile the phone is shown
   * with `screencap`.
   */
  readonly unusable: number;
  /** Minimum time between the starts of two calls of `screencap`. */
  readonly betweenPictures: number;
}

const PATIENCE: Patience = {
  firstPicture: 4_000,
  betweenStarts: 1_000,
  pause: 50,
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
  /** The videos that are being watched, by the phones' serials. */
  readonly #videos = new Map<string, SharedVideo>();
  /** By the phone's serial, the time (ms since 1970) before which `screenrecord` is not tried again. */
  readonly #unusableUntil = new Map<string, number>();

  constructor(address: AdbAddress, clock: Clock, patience: Partial<Patience> = {}) {
    this.#address = address;
    this.#clock = clock;
    this.#patience = { ...PATIENCE, ...patience };
  }

  /**
   * @returns the video of a phone, or null if `screenrecord` has failed on the phone a short time ago (see `unusable`)
   */
  video(serial: string): FrameSource | null {
    const until = this.#unusableUntil.get(serial) ?? 0;
    if (this.#clock.now() < until) return null;
    this.#unusableUntil.delete(serial);
    return { open: (sink) => this.#shared(serial).open(sink) };
  }

  /**
   * @returns a source of single pictures of a phone, about one per second, for recordings and for viewers that cannot
   * play H.264
   */
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
