import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { errorText } from '../api/error-text.ts';
import { texts } from '../texts/en.ts';
import { Button } from './button.tsx';
import { Problem } from './form.tsx';
import { Icon } from './icon.tsx';

interface DialogProps {
  open: boolean;
  title: string;
  onClose: () => void;
  wide?: boolean;
  /**
   * Whether the dialog ignores Escape and has no close button. For content that is shown only once, so that the user
   * does not close it by accident.
   */
  stays?: boolean;
  children: ComponentChildren;
}

const FIELDS = 'input:not([type=hidden]):enabled, select:enabled, textarea:enabled';

/** Moves the focus to the dialog's first field, or to the first control of its content if it has no field. */
function focusContent(dialog: HTMLDialogElement): void {
  const controls = [...dialog.querySelectorAll<HTMLElement>(':is(a[href], button)')];
  const control = controls.find((each) => each.closest('.dialog-head') === null);
  (dialog.querySelector<HTMLElement>(FIELDS) ?? control)?.focus();
}

/**
 * Renders a modal dialog. The browser keeps the focus inside and restores it afterwards. The content is rendered only
 * while the dialog is open, so its state starts new each time.
 */
export function Dialog({ open, title, onClose, wide = false, stays = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    if (open && !dialog.open) {
      dialog.showModal();
      focusContent(dialog);
    }
    // If new content, such as the result after a form, has replaced the element that had the focus, move the focus into
    // the new content.
    if (open && !dialog.contains(document.activeElement)) focusContent(dialog);
    if (!open && dialog.open) dialog.close();
  }, [open, title]);
  return (
    <dialog
      ref={ref}
      class={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => stays && event.preventDefault()}
      onClose={() => open && onClose()}
    >
      {open && (
        <>
          <header class="dialog-head">
            <h2 id={id}>{title}</h2>
            {!stays && (
              <Button kind="quiet" class="icon-button" aria-label={texts.common.close} onClick={onClose}>
                <Icon name="close" />
              </Button>
            )}
          </header>
          {children}
        </>
      )}
    </dialog>
  );
}

interface DialogButtonProps extends Omit<DialogProps, 'open' | 'onClose' | 'children'> {
  label: string;
  kind?: 'primary' | 'plain';
  /** Renders the content of the dialog, which can close it. */
  children: (close: () => void) => ComponentChildren;
}

/** Button that opens a dialog. */
export function DialogButton({ label, kind = 'plain', children, ...dialog }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button kind={kind} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog {...dialog} open={isOpen} onClose={close}>
        {isOpen && children(close)}
      </Dialog>
    </>
  );
}

export interface ConfirmProps {
  open: boolean;
  title: string;
  text: ComponentChildren;
  confirmLabel: string;
  /** Style of the confirming button. It is `danger` if absent, because most confirmed actions cannot be undone. */
  kind?: 'danger' | 'primary';
  /** Fields below the text. */
  children?: ComponentChildren;
  /** Performs the action. If the promise rejects, the dialog shows the reason and stays open. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Dialog that asks the user to confirm an action. The cancel button comes first and gets the focus. */
export function ConfirmDialog({
  open,
  title,
  text,
  confirmLabel,
  kind = 'danger',
  children,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const close = () => {
    setProblem(undefined);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={open} title={title} onClose={close}>
      <p>{text}</p>
      {children}
      <Problem text={problem} />
      <div class="form-actions">
        <Button onClick={close}>{texts.common.cancel}</Button>
        <Button kind={kind} busy={busy} onClick={confirm}>
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
