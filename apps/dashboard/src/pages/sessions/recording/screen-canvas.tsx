import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { errorText } from '../../../api/error-text.ts';
import { texts } from '../../../texts/en.ts';
import { ChunkStore } from './chunk-store.ts';
import type { Chunk, Frame } from './moments.ts';

interface ScreenCanvasProps {
  sessionId: string;
  name: string;
  chunks: readonly Chunk[];
  at: number;
}

/** Draws what the phone's screen showed at a moment of the recording. */
export function ScreenCanvas({ sessionId, name, chunks, at }: ScreenCanvasProps) {
  const store = useMemo(() => new ChunkStore(sessionId), [sessionId]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef<Frame | undefined>(undefined);
  const wanted = useRef(at);
  const [problem, setProblem] = useState<string | null>(null);
  const [isEmpty, setEmpty] = useState(true);
  const { recording } = texts.sessions;
  wanted.current = at;

  useEffect(() => {
    const show = async () => {
      const frame = await store.frameAt(chunks, at);
      // The user may have moved to another moment while this picture was loading, so the picture is dropped.
      if (wanted.current !== at) return;
      setEmpty(frame === undefined);
      setProblem(null);
      if (frame === undefined || frame === drawn.current || canvas.current === null) return;
      await draw(canvas.current, frame.image);
      drawn.current = frame;
    };
    show().catch((error: unknown) => setProblem(errorText(error)));
  }, [store, chunks, at]);

  return (
    <div class="recorded-screen">
      <canvas ref={canvas} role="img" aria-label={recording.screenOf(name)} hidden={isEmpty} />
      {isEmpty && problem === null && <p>{recording.noPictureYet}</p>}
      {problem !== null && <p role="alert">{problem}</p>}
    </div>
  );
}

async function draw(canvas: HTMLCanvasElement, image: Blob): Promise<void> {
  const picture = await createImageBitmap(image);
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext('2d')?.drawImage(picture, 0, 0);
  picture.close();
}
