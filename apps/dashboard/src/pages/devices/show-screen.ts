import { VideoPlayer } from './video-player.ts';

interface Listener {
  readonly shown: () => void;
  /** It was cut. */
  readonly lost: () => void;
}

const LOOK_MS = 500;

/** Shows the MJPEG stream at an address; the answer ends it. */
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
    // The stream goes on for as long as anything names it.
    image.removeAttribute('src');
  };
  const cut = () => {
    end();
    lost();
  };
  // A stream that is cut makes no event: the picture only loses its size.
  const look = setInterval(() => isShown && image.naturalWidth === 0 && cut(), LOOK_MS);
  image.addEventListener('load', load);
  image.addEventListener('error', cut);
  image.src = address;
  return end;
}

/** Without a picture for so long, none is to be expected. */
const FIRST_PICTURE_MS = 5_000;

interface VideoListener extends Listener {
  /** It did not open, or ended without a picture. */
  readonly refused: () => void;
  /** What comes is nothing this browser can show. */
  readonly unplayable: () => void;
}

/** The same for the H.264 stream of a WebSocket. */
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
  const endWith = (tell: () => void) => {
    end();
    tell();
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
