import { useState } from 'preact/hooks';
import { pageAddress } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  Button,
  ConfirmDialog,
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
  const [isRemoving, setRemoving] = useState(false);
  return (
    <>
      <p class="back">
        <a href={pageAddress('teams')}>{texts.teams.back}</a>
      </p>
      <PageHeader
        title={team.name}
        actions={
          <Button kind="danger" onClick={() => setRemoving(true)}>
            {texts.teams.remove}
          </Button>
        }
      />
      <TeamMembers team={team} />
      <TeamPhones team={team} />
      <Panel title={texts.shares.title}>
        <LimitsForm kind="team" id={team.id} />
      </Panel>
      <ConfirmDialog
        open={isRemoving}
        title={texts.teams.removeTitle(team.name)}
        text={texts.teams.removeText}
        confirmLabel={texts.teams.remove}
        danger
        onConfirm={() => remove(team)}
        onClose={() => setRemoving(false)}
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
