import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../texts/en.ts';
import { Button, Panel } from '../../ui/index.ts';
import { type LogLine, type LogState, readDeviceLog } from './device-log.ts';

/** The live log of a phone. Its lines are only rendered as text. */
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

/** The view follows new lines if it is scrolled this close to the end. */
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
    // Screen readers do not announce new lines automatically, because a phone writes too many.
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
