import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

interface MenuProps {
  /** Accessible name of the button that opens the menu. */
  label: string;
  button: ComponentChildren;
  children: ComponentChildren;
}

/** Button that opens a panel of links and buttons. Escape and a click outside the panel close the panel. */
export function Menu({ label, button, children }: MenuProps) {
  const id = useId();
  const anchor = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const place = () => {
    if (anchor.current === null || panel.current === null) return;
    const { bottom, right } = anchor.current.getBoundingClientRect();
    panel.current.style.top = `${bottom + 6}px`;
    panel.current.style.right = `${Math.max(8, document.documentElement.clientWidth - right)}px`;
  };
  return (
    <>
      <button ref={anchor} type="button" class="menu-button" aria-label={label} popovertarget={id}>
        {button}
      </button>
      <div ref={panel} id={id} class="menu-panel" popover="auto" onBeforeToggle={place}>
        {children}
      </div>
    </>
  );
}
