import { call } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { texts } from '../texts/en.ts';
import { SelectField } from './field.tsx';

interface TeamFieldProps {
  hint: string;
  /** Id of the chosen team, or an empty text for none. */
  value: string;
  onChange: (id: string) => void;
}

/** Renders the field for the team to which a key, or a rule that trusts the tokens of a CI service, is bound. */
export function TeamField({ hint, value, onChange }: TeamFieldProps) {
  const teams = useResource((signal) => call('listTeams', { signal }));
  const options = (teams.value ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <SelectField
      label={texts.lists.team}
      hint={hint}
      value={value}
      options={[{ value: '', label: texts.lists.noTeam }, ...options]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
