import { VideoPlayer } from './video-player.ts';

interface Listener {
  readonly shown: () => void;
  /** The stream was cut. */
  readonly lost: () => void;
}

const LOOK_MS = 500;

/**
 * Shows the MJPEG stream at an address.
 * @returns a function that ends it
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
    // The browser keeps the stream open while an attribute refers to it.
    image.removeAttribute('src');
  };
  const cut = () => {
    end();
    lost();
  };
  // A cut stream causes no event; only the size of the picture becomes 0.
  const look = setInterval(() => isShown && image.naturalWidth === 0 && cut(), LOOK_MS);
  image.addEventListener('load', load);
  image.addEventListener('error', cut);
  image.src = address;
  return end;
}

/** If no picture arrives within this time, none is expected. */
const FIRST_PICTURE_MS = 5_000;

interface VideoListener extends Listener {
  /** The stream did not open, or ended without a picture. */
  readonly refused: () => void;
  /** The stream has a format that this browser cannot show. */
  readonly unplayable: () => void;
}

/**
 * Shows the H.264 stream of a WebSocket.
 * @returns a function that ends it
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
