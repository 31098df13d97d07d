import { VideoPlayer } from './video-player.ts';

interface Listener {
  readonly shown: () => void;
  /** Called when the stream could not be loaded, or ended after it had been shown. */
  readonly lost: () => void;
}

const LOOK_MS = 500;

/**
 * Shows the MJPEG stream at an address in the image.
 * @returns a function that ends the stream
 */
export function showPictures(
  image: HTMLImageElement,
  address: string,
  { shown, lost }: Listener,
): () => void {
  let isShown = false;
  const load = () => {
    isShown = true;
    shown();
  };
  const end = () => {
    clearInterval(look);
    image.removeEventListener('load', load);
    image.removeEventListener('error', cut);
    // The browser reads an MJPEG stream until the `src` of the image changes, so remove `src` to close the connection.
    image.removeAttribute('src');
  };
  const cut = () => {
    end();
    lost();
  };
  // The browser fires no event when an MJPEG stream is cut. It only sets the width of the picture to 0, so the width is
  // polled.
  const look = setInterval(() => isShown && image.naturalWidth === 0 && cut(), LOOK_MS);
  image.addEventListener('load', load);
  image.addEventListener('error', cut);
  image.src = address;
  return end;
}

/** Milliseconds to wait for the first picture; without one, the stream counts as unplayable. */
const FIRST_PICTURE_MS = 5_000;

interface VideoListener extends Listener {
  /** Called when the stream did not open, or ended before its first picture. */
  readonly refused: () => void;
  /** Called when this browser cannot decode the stream. */
  readonly unplayable: () => void;
}

/**
 * Shows the H.264 stream of a WebSocket on the canvas.
 * @returns a function that ends the stream
 */
export function showVideo(canvas: HTMLCanvasElement, address: string, listener: VideoListener): () => void {
  let isShown = false;
  const socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  const end = () => {
    clearTimeout(patience);
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
    player.close();
  };
  const endWith = (callback: () => void) => {
    end();
    callback();
  };
  const player = new VideoPlayer(canvas, {
    drawn: () => {
      if (isShown) return;
      isShown = true;
      clearTimeout(patience);
      listener.shown();
    },
    failed: () => endWith(listener.unplayable),
  });
  const patience = setTimeout(() => endWith(listener.unplayable), FIRST_PICTURE_MS);
  socket.onmessage = ({ data }) => player.take(new Uint8Array(data as ArrayBuffer));
  socket.onclose = () => endWith(isShown ? listener.lost : listener.refused);
  return end;
}
