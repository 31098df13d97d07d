import { call } from '../../api/client.ts';
import { ROLES } from '../../api/current-caller.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { SelectField } from '../../ui/index.ts';
import { NO_TEAM, UNCONFIRMED, type UserFilter } from './user-filter.ts';

interface UserFiltersProps {
  filter: UserFilter;
  onChange(part: Partial<UserFilter>): void;
}

/** Filters of the list of users. */
export function UserFilters({ filter, onChange }: UserFiltersProps) {
  const teams = useResource(() => call('listTeams'));
  const { columns, filters } = texts.users;
  const own = (values: readonly string[]) => values.map((value) => ({ value, label: value }));
  return (
    <>
      <SelectField
        label={columns.role}
        value={filter.role}
        options={[{ value: '', label: filters.anyRole }, ...own(ROLES)]}
        onChange={({ currentTarget }) => onChange({ role: currentTarget.value })}
      />
      <SelectField
        label={columns.status}
        value={filter.status}
        options={[
          { value: '', label: filters.anyStatus },
          ...own(['Active', 'Inactive']),
          { value: UNCONFIRMED, label: texts.users.unconfirmed },
        ]}
        onChange={({ currentTarget }) => onChange({ status: currentTarget.value })}
      />
      <SelectField
        label={texts.lists.team}
        value={filter.team}
        options={[
          { value: '', label: filters.anyTeam },
          { value: NO_TEAM, label: filters.noTeam },
          ...(teams.value ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={({ currentTarget }) => onChange({ team: currentTarget.value })}
      />
    </>
  );
}
