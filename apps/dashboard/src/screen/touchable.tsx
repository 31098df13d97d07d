import type { ComponentChildren, TargetedPointerEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { gestureOf, type PointerAt, type Touch } from './touch.ts';

interface TouchableProps {
  touch: Touch | undefined;
  /** Whether the screen is shown. Otherwise taps and keys have no effect. */
  isShown: boolean;
  children: ComponentChildren;
}

/** Contains the image of a phone's screen. Passes the user's taps, swipes and key presses on the image to the phone. */
export function Touchable({ touch, isShown, children }: TouchableProps) {
  const down = useRef<PointerAt | undefined>(undefined);
  if (touch === undefined) return <div>{children}</div>;
  const press = (event: TargetedPointerEvent<HTMLDivElement>) => {
    if (!isShown || event.button !== 0 || !event.isPrimary) return;
    down.current = event;
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const release = (event: TargetedPointerEvent<HTMLDivElement>) => {
    const began = down.current;
    down.current = undefined;
    const screen = shownIn(event.currentTarget);
    if (began === undefined || screen === undefined) return;
    const gesture = gestureOf(began, event, screen.getBoundingClientRect());
    if (gesture.kind === 'tap') touch.tap(gesture.at);
    else touch.swipe?.(gesture);
  };
  const { key, paste, label, swipe } = touch;
  return (
    <div
      class={`preview-touch ${swipe === undefined ? '' : 'preview-swipes'}`}
      onPointerDown={press}
      onPointerUp={release}
      onPointerCancel={() => {
        down.current = undefined;
      }}
      {...(key === undefined || !isShown
        ? {}
        : {
            role: 'application',
            tabIndex: 0,
            'aria-label': label,
            onKeyDown: (event: KeyboardEvent) => {
              if (!event.isComposing && key(event)) event.preventDefault();
            },
            onPaste: (event: ClipboardEvent) => {
              const text = event.clipboardData?.getData('text/plain') ?? '';
              if (text === '') return;
              event.preventDefault();
              paste?.(text);
            },
          })}
    >
      {children}
    </div>
  );
}

/** @returns the image or canvas that shows the phone's screen */
function shownIn(place: Element): Element | undefined {
  return [...place.querySelectorAll<HTMLElement>('img, canvas')].find(({ hidden }) => !hidden);
}
