import { useEffect, useState } from 'preact/hooks';

/**
 * Counts down seconds. Returns the seconds left (undefined before the start, 0 at the end) and a function that starts
 * the countdown.
 */
export function useCountdown(): [left: number | undefined, start: (seconds: number) => void] {
  const [end, setEnd] = useState<number>();
  const [now, setNow] = useState(Date.now);
  const left = end === undefined ? undefined : Math.max(0, Math.ceil((end - now) / 1000));
  useEffect(() => {
    if (left === undefined || left === 0) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [left]);
  const start = (seconds: number) => {
    const at = Date.now();
    setNow(at);
    setEnd(at + seconds * 1000);
  };
  return [left, start];
}
