import { CheckField } from './field.tsx';

interface ChoicesProps<Value extends string> {
  options: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[];
  chosen: ReadonlySet<Value>;
  onChange: (chosen: ReadonlySet<Value>) => void;
}

/** Renders checkboxes for a fieldset. The user may check any number of them. */
export function Choices<Value extends string>({ options, chosen, onChange }: ChoicesProps<Value>) {
  const toggle = (value: Value, isIn: boolean) => {
    const next = new Set(chosen);
    if (isIn) next.add(value);
    else next.delete(value);
    onChange(next);
  };
  return (
    <>
      {options.map(({ value, label, hint }) => (
        <CheckField
          key={value}
          label={label}
          hint={hint}
          checked={chosen.has(value)}
          onChange={(event) => toggle(value, event.currentTarget.checked)}
        />
      ))}
    </>
  );
}
