import { useEffect, useRef } from 'preact/hooks';

/** Calls `task` again and again while the page is in sight, and when it comes back into sight. */
export function useEvery(ms: number, task: () => void): void {
  const latest = useRef(task);
  latest.current = task;
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') latest.current();
    };
    const timer = setInterval(look, ms);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [ms]);
}
