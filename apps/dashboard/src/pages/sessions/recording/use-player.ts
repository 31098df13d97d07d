import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { fragmentOf, momentIn } from './moments.ts';

export const SPEEDS = [1, 2, 4] as const;
type Speed = (typeof SPEEDS)[number];

export interface Player {
  /** Moment that the player shows, in milliseconds since 1970. */
  readonly at: number;
  readonly isPlaying: boolean;
  readonly speed: Speed;
  /** Pauses the player, shows the moment `at`, and writes it to the fragment of the page's address. */
  seek(at: number): void;
  toggle(): void;
  setSpeed(speed: Speed): void;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Controls which moment of a recording is shown. The user, the clock while the recording plays, and the fragment of the
 * address can change the moment.
 */
export function usePlayer({ from, to }: Span, opensAt: number): Player {
  const within = useCallback((at: number) => Math.min(Math.max(at, from), to), [from, to]);
  const [at, setAt] = useState(() => within(momentIn(location.hash) ?? opensAt));
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  const current = useRef(at);
  current.current = at;

  const seek = useCallback(
    (moment: number) => {
      setPlaying(false);
      setAt(within(moment));
      history.replaceState(history.state, '', fragmentOf(within(moment)));
    },
    [within],
  );
  useEffect(() => {
    const follow = () => {
      const named = momentIn(location.hash);
      if (named !== null) seek(named);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [seek]);
  useEffect(() => {
    if (!isPlaying) return;
    let [last, frame] = [performance.now(), 0];
    const tick = (now: number) => {
      const next = within(current.current + (now - last) * speed);
      last = now;
      setAt(next);
      if (next >= to) setPlaying(false);
      else frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, speed, to, within]);

  const toggle = () => {
    if (isPlaying) return seek(current.current);
    if (at >= to) setAt(from);
    setPlaying(true);
  };
  return { at, isPlaying, speed, seek, toggle, setSpeed };
}
