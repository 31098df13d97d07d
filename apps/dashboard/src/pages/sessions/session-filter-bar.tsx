import { call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Field, SearchBox, SelectField } from '../../ui/index.ts';
import { CATEGORIES, MORE_FILTERS, type SessionFilters, STATUSES } from './session-filters.ts';

interface FilterBarProps {
  filters: SessionFilters;
  onChange(part: Partial<SessionFilters>): void;
}

export function FilterBar({ filters, onChange }: FilterBarProps) {
  const seesOthers = caller.value.scopes.includes('admin');
  const { anyStatus, statuses, status, search, owner, moreFilters } = texts.sessions;
  return (
    <search class="filter-bar">
      <SearchBox label={search} value={filters.search} onSearch={(text) => onChange({ search: text })} />
      {seesOthers && (
        <SearchBox label={owner} value={filters.owner} onSearch={(text) => onChange({ owner: text })} />
      )}
      <SelectField
        label={status}
        value={filters.status}
        options={[
          { value: '', label: anyStatus },
          ...STATUSES.map((each) => ({ value: each, label: statuses[each] })),
        ]}
        onChange={({ currentTarget }) =>
          onChange({ status: currentTarget.value as SessionFilters['status'] })
        }
      />
      <details class="filter-more" open={MORE_FILTERS.some((name) => filters[name] !== '')}>
        <summary>{moreFilters}</summary>
        <div class="filter-bar">
          <MoreFilters filters={filters} onChange={onChange} />
        </div>
      </details>
    </search>
  );
}

function MoreFilters({ filters, onChange }: FilterBarProps) {
  const devices = useResource(() => call('listDevices'));
  const { columns, category, anyPhone, anyCategory, tag, from, to } = texts.sessions;
  const phones = (devices.value ?? []).map(({ udid, name }) => ({ value: udid, label: name }));
  // A phone that has left the lab may still have sessions.
  const isKnown = filters.udid === '' || phones.some(({ value }) => value === filters.udid);
  return (
    <>
      <SelectField
        label={columns.device}
        value={filters.udid}
        options={[
          { value: '', label: anyPhone },
          ...(isKnown ? [] : [{ value: filters.udid, label: filters.udid }]),
          ...phones,
        ]}
        onChange={({ currentTarget }) => onChange({ udid: currentTarget.value })}
      />
      <SelectField
        label={category}
        value={filters.category}
        options={[{ value: '', label: anyCategory }, ...CATEGORIES.map((value) => ({ value, label: value }))]}
        onChange={({ currentTarget }) => onChange({ category: currentTarget.value })}
      />
      <SearchBox label={tag} value={filters.tag} onSearch={(text) => onChange({ tag: text })} />
      <Field
        label={from}
        type="date"
        value={filters.from}
        onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
      />
      <Field
        label={to}
        type="date"
        value={filters.to}
        onChange={({ currentTarget }) => onChange({ to: currentTarget.value })}
      />
    </>
  );
}
