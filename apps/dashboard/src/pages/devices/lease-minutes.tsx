import { useState } from 'preact/hooks';
import { texts } from '../../texts/en.ts';
import { SelectField } from '../../ui/index.ts';

const CHOICES = Object.entries(texts.durations.leases).map(([value, label]) => ({ value, label }));

/**
 * Lets the user choose how long to reserve the phone. This is a separate component, so that updates from the lab do not
 * reset the choice.
 */
export function MinutesField({ label }: { label: string }) {
  const [minutes, setMinutes] = useState('60');
  return (
    <SelectField
      label={label}
      name="minutes"
      options={CHOICES}
      value={minutes}
      onChange={({ currentTarget }) => setMinutes(currentTarget.value)}
    />
  );
}

export function minutesOf(form: HTMLFormElement): number {
  return Number(new FormData(form).get('minutes'));
}
