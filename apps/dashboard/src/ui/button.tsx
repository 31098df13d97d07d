import type { ComponentChildren, JSX } from 'preact';

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
