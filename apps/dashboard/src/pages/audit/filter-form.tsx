import { useId, useState } from 'preact/hooks';
import { texts } from '../../texts/en.ts';
import { Button, Field } from '../../ui/index.ts';
import { type AuditFilter, isEmptyFilter, isoOfLocal, localInput, NO_FILTER } from './audit-filter.ts';

interface FilterFormProps {
  filter: AuditFilter;
  onSearch: (filter: AuditFilter) => void;
}

/**
 * Form that searches audit rows by person, event and time. The server executes the search. Times are in the user's time
 * zone.
 */
export function FilterForm({ filter, onSearch }: FilterFormProps) {
  const [typed, setTyped] = useState(filter);
  const list = useId();
  const suggestions: { list: string } = { list };
  const set = (change: Partial<AuditFilter>) => setTyped((before) => ({ ...before, ...change }));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSearch({ ...typed, actor: typed.actor.trim(), event: typed.event.trim() });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: Firefox before version 118 does not support `<search>`
    <form class="filter" role="search" onSubmit={submit}>
      <Field
        label={texts.audit.person}
        placeholder={texts.audit.personHint}
        maxLength={254}
        autoComplete="off"
        value={typed.actor}
        onInput={(event) => set({ actor: event.currentTarget.value })}
      />
      <Field
        label={texts.audit.event}
        maxLength={100}
        autoComplete="off"
        {...suggestions}
        value={typed.event}
        onInput={(event) => set({ event: event.currentTarget.value })}
      />
      <datalist id={list}>
        {Object.entries(texts.auditEvents).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </datalist>
      <Field
        label={texts.audit.from}
        type="datetime-local"
        value={localInput(typed.from)}
        onChange={(event) => set({ from: isoOfLocal(event.currentTarget.value) })}
      />
      <Field
        label={texts.audit.to}
        type="datetime-local"
        value={localInput(typed.to)}
        onChange={(event) => set({ to: isoOfLocal(event.currentTarget.value) })}
      />
      <div class="form-actions">
        <Button type="submit" kind="primary">
          {texts.audit.search}
        </Button>
        {!isEmptyFilter(filter) && <Button onClick={() => onSearch(NO_FILTER)}>{texts.audit.clear}</Button>}
      </div>
    </form>
  );
}
