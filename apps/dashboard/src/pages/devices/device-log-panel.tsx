import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../texts/en.ts';
import { Button, Panel } from '../../ui/index.ts';
import { type LogLine, type LogState, readDeviceLog } from './device-log.ts';

/** Shows the live log of a phone. The lines come from other machines, so they are rendered only as text. */
export function DeviceLogPanel({ udid }: { udid: string }) {
  const [state, setState] = useState<LogState>('connecting');
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [isPaused, setPaused] = useState(false);
  const [round, setRound] = useState(0);
  const paused = useRef(false);
  paused.current = isPaused;
  const [clearedAt, setClearedAt] = useState(0);
  const { log, preview } = texts.devices;

  useEffect(
    () =>
      readDeviceLog(udid, {
        state: setState,
        lines: (next) => {
          if (!paused.current) setLines(next);
        },
      }),
    [udid, round],
  );

  const shown = lines.filter(({ number }) => number > clearedAt);
  return (
    <Panel
      title={log.title}
      actions={
        <>
          <Button onClick={() => setPaused(!isPaused)}>{isPaused ? log.goOn : log.pause}</Button>
          <Button onClick={() => setClearedAt(lines.at(-1)?.number ?? 0)}>{log.clear}</Button>
        </>
      }
    >
      <p role="status">{state === 'open' ? '' : log[state]}</p>
      {state === 'none' && (
        <div>
          <Button onClick={() => setRound(round + 1)}>{preview.retry}</Button>
        </div>
      )}
      {(state !== 'none' || lines.length > 0) && <Lines lines={shown} isPaused={isPaused} />}
    </Panel>
  );
}

/** Distance from the end of the log, in pixels, within which the view scrolls along with new lines. */
const NEAR_PX = 40;

function Lines({ lines, isPaused }: { lines: readonly LogLine[]; isPaused: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    if (follows.current && !isPaused) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [lines, isPaused]);
  const look = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: { currentTarget: Element }) => {
    follows.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
  };
  return (
    // The element is not a live region, because a phone writes more lines than a screen reader could announce.
    <div
      class="device-log"
      role="log"
      aria-live="off"
      aria-label={texts.devices.log.title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard
      tabIndex={0}
      ref={box}
      onScroll={look}
    >
      {lines.map(({ number, text }) => (
        <div key={number}>{text}</div>
      ))}
      {lines.length === 0 && <p class="soft">{texts.devices.log.empty}</p>}
    </div>
  );
}
