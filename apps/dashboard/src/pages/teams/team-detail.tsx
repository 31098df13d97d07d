import { pageAddress } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  ConfirmButton,
  EmptyState,
  LinkButton,
  PageHeader,
  Panel,
  ResourceView,
  toast,
} from '../../ui/index.ts';
import { LimitsForm } from '../../ui/limits-form.tsx';
import type { Team } from './team.ts';
import { TeamMembers } from './team-members.tsx';
import { TeamPhones } from './team-phones.tsx';

export function TeamDetail({ id }: { id: string }) {
  const teams = useResource((signal) => call('listTeams', { signal }));
  return (
    <ResourceView resource={teams}>
      {(list) => {
        const team = list.find((each) => each.id === id);
        return team === undefined ? <NoTeam /> : <OneTeam team={team} />;
      }}
    </ResourceView>
  );
}

function NoTeam() {
  return (
    <>
      <PageHeader title={texts.pages.teams} />
      <EmptyState
        title={texts.teams.gone}
        action={<LinkButton href={pageAddress('teams')}>{texts.teams.back}</LinkButton>}
      />
    </>
  );
}

function OneTeam({ team }: { team: Team }) {
  return (
    <>
      <p class="back">
        <a href={pageAddress('teams')}>{texts.teams.back}</a>
      </p>
      <PageHeader title={team.name} />
      <TeamMembers team={team} />
      <TeamPhones team={team} />
      <Panel title={texts.shares.title}>
        <LimitsForm kind="team" id={team.id} />
      </Panel>
      <Panel
        title={texts.teams.remove}
        lead={texts.teams.removeText}
        actions={
          <ConfirmButton
            label={texts.teams.remove}
            title={texts.teams.removeTitle(team.name)}
            text={texts.teams.removeConfirm}
            onConfirm={() => remove(team)}
          />
        }
      />
    </>
  );
}

async function remove({ id, name }: Team): Promise<void> {
  try {
    await call('removeTeam', { params: { id } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'team_not_empty') throw error;
    const { members, devices, apiKeys, trustRules = 0, webhooks = 0 } = error.fields;
    throw texts.teams.notEmpty({
      members: Number(members),
      devices: Number(devices),
      apiKeys: Number(apiKeys),
      trustRules: Number(trustRules),
      webhooks: Number(webhooks),
    });
  }
  toast(texts.teams.removed(name));
  location.assign(pageAddress('teams'));
}
