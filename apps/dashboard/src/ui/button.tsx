import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

type Kind = 'primary' | 'plain' | 'danger' | 'quiet';

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'size'> & {
  kind?: Kind;
  /** Whether the button's action is running. The button then keeps the focus but cannot be pressed. */
  busy?: boolean;
};

export function Button({
  kind = 'plain',
  busy = false,
  onClick,
  children,
  class: more,
  ...props
}: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      class={`button button-${kind} ${more ?? ''}`}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'class'> {
  icon: IconName;
  /** Accessible name and tooltip. */
  label: string;
}

/** Renders a button with an icon instead of a text. */
export function IconButton({ icon, label, ...props }: IconButtonProps) {
  return (
    <Button {...props} class="icon-button" aria-label={label} title={label}>
      <Icon name={icon} />
    </Button>
  );
}

interface LinkButtonProps {
  kind?: Kind;
  href: string;
  download?: string;
  /** Accessible name, if the text alone does not name the subject. */
  label?: string;
  children: ComponentChildren;
}

/** Renders a link that looks like a button. */
export function LinkButton({ kind = 'plain', label, children, ...props }: LinkButtonProps) {
  return (
    <a {...props} {...(label === undefined ? {} : { 'aria-label': label })} class={`button button-${kind}`}>
      {children}
    </a>
  );
}
