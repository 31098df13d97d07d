import { texts } from '../../texts/en.ts';
import { SelectField } from '../../ui/index.ts';
import type { KeyFilter } from './key-filter.ts';

interface KeyFiltersProps {
  filter: KeyFilter;
  onChange(part: Partial<KeyFilter>): void;
}

/** Filters of the list of keys and tokens. The search finds their owners. */
export function KeyFilters({ filter, onChange }: KeyFiltersProps) {
  const { filters, kinds } = texts.apiKeys;
  const shown = {
    kind: { label: filters.kind, any: filters.anyKind, choices: kinds },
    end: { label: filters.end, any: filters.anyEnd, choices: filters.ends },
    use: { label: filters.use, any: filters.anyUse, choices: filters.uses },
  };
  return (
    <>
      {(['kind', 'end', 'use'] as const).map((name) => (
        <SelectField
          key={name}
          label={shown[name].label}
          value={filter[name]}
          options={[
            { value: '', label: shown[name].any },
            ...Object.entries(shown[name].choices).map(([value, label]) => ({ value, label })),
          ]}
          onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
        />
      ))}
    </>
  );
}
