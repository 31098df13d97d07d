import { apiAddress, socketAddress } from '../api/addresses.ts';
import { call } from '../api/client.ts';
import { showPictures, showVideo } from './show-screen.ts';
import { ThumbnailTurns } from './thumbnail-turns.ts';
import { canPlayVideo } from './video-player.ts';

/** Milliseconds after which the request for a picture that has not arrived is aborted. */
const PICTURE_MS = 5_000;
const LONGEST_SIDE = 480;

let turns: ThumbnailTurns<HTMLCanvasElement> | undefined;

/**
 * Draws a picture of the phone's screen into the canvas every few seconds, while the canvas and the page are visible.
 * `report` is called with whether the canvas shows a current picture.
 * @returns a function that stops the drawing
 */
export function followThumbnail(
  udid: string,
  canvas: HTMLCanvasElement,
  report: (isShown: boolean) => void,
): () => void {
  turns ??= new ThumbnailTurns({ now: () => performance.now(), isPaused: () => document.hidden });
  const all = turns;
  const seen = new IntersectionObserver(([entry]) => all.setVisible(canvas, entry?.isIntersecting === true));
  // Observe the parent, because the canvas has no size before the first picture and would never count as visible.
  seen.observe(canvas.parentElement ?? canvas);
  all.add(canvas, async (signal) => {
    try {
      const isShown = await draw(udid, canvas, signal);
      if (!signal.aborted) report(isShown);
      return isShown;
    } catch {
      if (!signal.aborted) report(false);
      return false;
    }
  });
  return () => {
    seen.disconnect();
    all.remove(canvas);
  };
}

/**
 * Opens the phone's stream, draws the first picture of the stream and closes it.
 * @returns whether a picture was drawn; false if the phone has no stream that this browser can show
 */
async function draw(udid: string, canvas: HTMLCanvasElement, signal: AbortSignal): Promise<boolean> {
  const params = { udid };
  const { mjpeg, h264 } = await call('deviceStreams', { params, signal });
  if (!mjpeg && !(h264 && canPlayVideo())) return false;
  const { ticket } = await call('issueStreamTicket', { params, signal });
  const path = `/control/${encodeURIComponent(udid)}/stream`;
  const query = `?${new URLSearchParams({ ticket })}`;
  return await new Promise((settle) => {
    let end = () => {};
    const finish = (isDrawn: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      end();
      settle(isDrawn);
    };
    const stop = () => finish(false);
    const timer = setTimeout(stop, PICTURE_MS);
    signal.addEventListener('abort', stop);
    if (signal.aborted) {
      stop();
      return;
    }
    if (mjpeg) {
      const image = new Image();
      end = showPictures(image, apiAddress(path + query), {
        shown: () => {
          copy(image, canvas);
          finish(true);
        },
        lost: stop,
      });
    } else {
      end = showVideo(canvas, socketAddress(`${path}/h264${query}`), {
        shown: () => finish(true),
        lost: stop,
        refused: stop,
        unplayable: stop,
      });
    }
  });
}

/**
 * Copies a picture into the canvas at a smaller size, because full-size pictures of many phones would need much memory.
 */
function copy(image: HTMLImageElement, canvas: HTMLCanvasElement): void {
  const { naturalWidth, naturalHeight } = image;
  const scale = Math.min(1, LONGEST_SIDE / Math.max(naturalWidth, naturalHeight));
  canvas.width = Math.max(1, Math.round(naturalWidth * scale));
  canvas.height = Math.max(1, Math.round(naturalHeight * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
}
