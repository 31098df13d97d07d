import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { errorText } from '../api/error-text.ts';
import { Button } from './button.tsx';

interface FormProps {
  children: ComponentChildren;
  submitLabel: string;
  kind?: 'primary' | 'danger';
  /** Beside the submit button. */
  actions?: ComponentChildren;
  disabled?: boolean;
  /** Rejects when it did not work: the form says why and keeps what was typed. A text it throws is said as it is. */
  onSubmit: (form: HTMLFormElement) => Promise<unknown>;
}

/** Nothing is ever sent as a navigation: what is typed may be a password. */
export function Form({ children, submitLabel, kind = 'primary', actions, disabled, onSubmit }: FormProps) {
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
        <Button type="submit" kind={kind} busy={busy} disabled={disabled}>
          {submitLabel}
        </Button>
        {actions}
      </div>
    </form>
  );
}

/** Read out when it appears. */
export function Problem({ text }: { text: string | undefined }) {
  return <div role="alert">{text !== undefined && <p class="notice notice-bad">{text}</p>}</div>;
}
