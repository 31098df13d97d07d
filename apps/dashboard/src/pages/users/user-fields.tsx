import { call } from '../../api/client.ts';
import { caller, ROLES } from '../../api/current-caller.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Choices, ResourceView, SelectField } from '../../ui/index.ts';
import type { User } from './user.ts';

export type UserRole = User['role'];

/** Returns the roles that the caller may assign. An Admin may assign only the role Member (contract 3.6). */
function rolesToGive(): readonly UserRole[] {
  return caller.value.role === 'Super admin' ? ROLES : ['Member'];
}

interface RoleFieldProps {
  value: UserRole;
  /** Whether the user is the caller. Users cannot change their own role, so the field is then disabled. */
  isOwn?: boolean;
  onChange: (role: UserRole) => void;
}

export function RoleField({ value, isOwn = false, onChange }: RoleFieldProps) {
  const roles = isOwn || !rolesToGive().includes(value) ? [value] : rolesToGive();
  return (
    <SelectField
      label={texts.users.role}
      value={value}
      options={roles.map((role) => ({ value: role, label: role }))}
      hint={isOwn ? texts.users.ownRole : texts.users.roleHints[value]}
      disabled={isOwn}
      onChange={(event) => onChange(event.currentTarget.value as UserRole)}
    />
  );
}

interface TeamsFieldProps {
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

/** Shows a checkbox for every team. */
export function TeamsField({ chosen, onChange }: TeamsFieldProps) {
  const teams = useResource((signal) => call('listTeams', { signal }));
  return (
    <fieldset class="choices">
      <legend>{texts.users.teams}</legend>
      <p class="hint">{texts.users.teamsHint}</p>
      <ResourceView resource={teams}>
        {(list) => (
          <div class="choices-list">
            {list.length === 0 && <p class="soft">{texts.users.noTeams}</p>}
            <Choices
              options={list.map(({ id, name }) => ({ value: id, label: name }))}
              chosen={chosen}
              onChange={onChange}
            />
          </div>
        )}
      </ResourceView>
    </fieldset>
  );
}
