import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { texts } from '../texts/en.ts';

interface LabelProps {
  label: string;
  hint?: ComponentChildren;
  error?: ComponentChildren;
}

type InputProps = JSX.IntrinsicElements['input'];
type SelectProps = JSX.IntrinsicElements['select'];

/** Properties of a labelled input: those of its label, and those of an HTML input except `role`. */
type FieldProps = LabelProps & Omit<InputProps, 'label' | 'role'>;

/** Renders a labelled input of one line. */
export function Field({ label, hint, error, ...input }: FieldProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <input class="input" {...(input as InputProps)} {...describedBy(id, hint, error)} />
    </Labelled>
  );
}

/** Renders a password field that can show its content and warns while Caps Lock is on. */
export function PasswordField({ label, hint, error, ...input }: FieldProps) {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  const look = (event: KeyboardEvent | MouseEvent) =>
    setCapsLock(event.getModifierState?.('CapsLock') ?? false);
  const hints = capsLock ? <span class="caps-lock">{texts.fields.capsLock}</span> : hint;
  const all = {
    class: 'input',
    autocapitalize: 'none',
    spellcheck: false,
    ...input,
    ...describedBy(id, hints, error),
    type: isShown ? 'text' : 'password',
    onKeyUp: look,
    onKeyDown: look,
    onMouseDown: look,
    onBlur: () => setCapsLock(false),
  };
  return (
    <Labelled id={id} label={label} hint={hints} error={error}>
      <span class="secret-input">
        <input {...(all as InputProps)} />
        <button
          type="button"
          class="reveal"
          aria-controls={id}
          aria-label={`${isShown ? texts.fields.hide : texts.fields.show}: ${label}`}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? texts.fields.hide : texts.fields.show}
        </button>
      </span>
    </Labelled>
  );
}

interface SelectFieldProps extends LabelProps, Omit<SelectProps, 'label' | 'role'> {
  options: readonly { readonly value: string; readonly label: string }[];
}

export function SelectField({ label, hint, error, options, value, ...select }: SelectFieldProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <select class="input" value={value} {...(select as SelectProps)} {...describedBy(id, hint, error)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

export function TextAreaField({
  label,
  hint,
  error,
  ...area
}: LabelProps & Omit<JSX.IntrinsicElements['textarea'], 'label'>) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <textarea class="input" rows={4} {...area} {...describedBy(id, hint, error)} />
    </Labelled>
  );
}

/** Renders a labelled checkbox. */
export function CheckField({ label, hint, ...input }: Omit<FieldProps, 'error'>) {
  const id = useId();
  return (
    <div class="field check-field">
      <input {...({ ...input, ...describedBy(id, hint, undefined), type: 'checkbox' } as InputProps)} />
      <label for={id}>{label}</label>
      <Hint id={id} text={hint} />
    </div>
  );
}

function Labelled({
  id,
  label,
  hint,
  error,
  children,
}: LabelProps & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      <Hint id={id} text={hint} />
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

function Hint({ id, text }: { id: string; text: ComponentChildren }) {
  if (text === undefined) return null;
  return (
    <p class="hint" id={`${id}-hint`}>
      {text}
    </p>
  );
}

function describedBy(id: string, hint: ComponentChildren, error: ComponentChildren) {
  const parts = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean);
  return {
    id,
    ...(parts.length === 0 ? {} : { 'aria-describedby': parts.join(' ') }),
    ...(error === undefined ? {} : { 'aria-invalid': true }),
  };
}
