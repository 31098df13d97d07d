import { apiAddress, socketAddress } from '../api/addresses.ts';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/client.ts';
import { retryPause } from './retry-pause.ts';
import { showPictures, showVideo } from './show-screen.ts';
import { canPlayVideo } from './video-player.ts';

/**
 * State of a phone's screen on the page. `lost` means that the stream was interrupted and is being opened again; `none`
 * means that the phone has no stream or that all attempts failed; `unplayable` means that this browser cannot show the
 * stream.
 */
export type ScreenState = 'connecting' | 'shown' | 'lost' | 'none' | 'unplayable';
export type ScreenKind = 'mjpeg' | 'h264';

interface Places {
  readonly image: HTMLImageElement;
  readonly canvas: HTMLCanvasElement;
}

type Report = (state: ScreenState, kind: ScreenKind) => void;

/**
 * Shows the screen of a phone in one of the elements of `places`: H.264 in the canvas if the browser can decode it,
 * otherwise MJPEG in the image.
 * @returns a function that ends the stream
 */
export function followScreen(udid: string, places: Places, report: Report): () => void {
  const follower = new ScreenFollower(udid, places, report);
  void follower.open();
  return () => follower.close();
}

const MOST_TRIES = 5;
/**
 * Milliseconds between checks of a phone without a screen, because the phone may get a screen when a session begins.
 */
const CHECK_AGAIN_MS = 5_000;

class ScreenFollower {
  readonly #udid: string;
  readonly #places: Places;
  readonly #report: (state: ScreenState) => void;
  #kind: ScreenKind = 'mjpeg';
  #plays = canPlayVideo();
  #failures = 0;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #end = () => {};

  constructor(udid: string, places: Places, report: Report) {
    this.#udid = udid;
    this.#places = places;
    this.#report = (state) => report(state, this.#kind);
    this.#report('connecting');
  }

  async open(): Promise<void> {
    const params = { udid: this.#udid };
    try {
      const { mjpeg, h264 } = await call('deviceStreams', { params });
      const isVideo = h264 && this.#plays;
      if (this.#isOver) return;
      if (!isVideo && !mjpeg) {
        this.#report(h264 ? 'unplayable' : 'none');
        this.#openIn(CHECK_AGAIN_MS);
        return;
      }
      // A ticket is valid only once, so each stream needs a new one (specification 5.8).
      const { ticket } = await call('issueStreamTicket', { params });
      if (this.#isOver) return;
      const query = `?${new URLSearchParams({ ticket })}`;
      if (isVideo) this.#showVideo(query, mjpeg);
      else this.#showPictures(query);
    } catch (error) {
      if (this.#isOver) return;
      if (error instanceof ApiError && error.status === 404) this.#report('none');
      else this.#lost();
    }
  }

  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#end();
  }

  #showVideo(query: string, hasPictures: boolean): void {
    this.#kind = 'h264';
    const withoutVideo = () => {
      this.#plays = false;
      void this.open();
    };
    const lost = () => this.#lost();
    this.#end = showVideo(this.#places.canvas, socketAddress(`${this.#path}/h264${query}`), {
      shown: () => this.#shown(),
      lost,
      refused: hasPictures ? withoutVideo : lost,
      unplayable: withoutVideo,
    });
  }

  #showPictures(query: string): void {
    this.#kind = 'mjpeg';
    this.#end = showPictures(this.#places.image, apiAddress(this.#path + query), {
      shown: () => this.#shown(),
      lost: () => this.#lost(),
    });
  }

  get #path(): string {
    return `/control/${encodeURIComponent(this.#udid)}/stream`;
  }

  #shown(): void {
    this.#failures = 0;
    this.#report('shown');
  }

  #lost(): void {
    this.#failures += 1;
    this.#report(this.#failures > MOST_TRIES ? 'none' : 'lost');
    if (this.#failures <= MOST_TRIES) this.#openIn(retryPause(this.#failures));
  }

  #openIn(ms: number): void {
    this.#timer = setTimeout(() => void this.open(), ms);
  }
}
