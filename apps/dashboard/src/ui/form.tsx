import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { errorText } from '../api/error-text.ts';
import { Button } from './button.tsx';

interface FormProps {
  children: ComponentChildren;
  submitLabel: string;
  /** Further buttons beside the submit button. */
  actions?: ComponentChildren;
  disabled?: boolean;
  /**
   * Handles the input. If the promise rejects, the form shows the reason and keeps the input; a thrown string is shown
   * unchanged.
   */
  onSubmit: (form: HTMLFormElement) => Promise<unknown>;
}

/**
 * Renders a form that `onSubmit` handles. Its method is `post`, so that the input, such as a password, does not get
 * into an address if the browser itself submits the form.
 */
export function Form({ children, submitLabel, actions, disabled, onSubmit }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy || disabled || form.current === null) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await onSubmit(form.current);
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="form" method="post" ref={form} onSubmit={submit}>
      <Problem text={problem} />
      {children}
      <div class="form-actions">
        <Button type="submit" kind="primary" busy={busy} disabled={disabled}>
          {submitLabel}
        </Button>
        {actions}
      </div>
    </form>
  );
}

/** Shows an error message, which screen readers announce when it appears. Shows nothing if `text` is undefined. */
export function Problem({ text }: { text: string | undefined }) {
  return <div role="alert">{text !== undefined && <p class="notice notice-bad">{text}</p>}</div>;
}
