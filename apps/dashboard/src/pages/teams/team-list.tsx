import { pageAddress } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';
import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  type Column,
  DialogButton,
  EmptyState,
  Field,
  Form,
  PageHeader,
  ResourceTable,
  toast,
  useFields,
} from '../../ui/index.ts';

type Team = Answer<'listTeams'>[number];

function teamAddress(id: string): string {
  return `${pageAddress('teams')}?${new URLSearchParams({ id })}`;
}

export function TeamList() {
  const teams = useResource((signal) => call('listTeams', { signal }));
  const devices = useResource((signal) => call('listDevices', { signal }));
  const phonesOf = (id: string) => devices.value?.filter(({ team }) => team?.id === id).length;
  return (
    <>
      <PageHeader
        title={texts.pages.teams}
        lead={texts.teams.lead}
        actions={
          <DialogButton kind="primary" label={texts.teams.make} title={texts.teams.makeTitle}>
            {(close) => (
              <MakeTeamForm
                onMade={(name) => {
                  toast(texts.teams.made(name));
                  teams.reload();
                  close();
                }}
              />
            )}
          </DialogButton>
        }
      />
      <section class="panel" aria-label={texts.teams.list}>
        <ResourceTable
          label={texts.teams.list}
          resource={teams}
          columns={columns(phonesOf)}
          rowKey={({ id }) => id}
          onOpen={({ id }) => location.assign(teamAddress(id))}
          empty={<EmptyState title={texts.teams.empty} text={texts.teams.emptyText} />}
        />
      </section>
    </>
  );
}

function columns(phonesOf: (id: string) => number | undefined): readonly Column<Team>[] {
  const headers = texts.teams.columns;
  return [
    {
      id: 'name',
      header: headers.name,
      cell: ({ id, name }) => <a href={teamAddress(id)}>{name}</a>,
      order: ({ name }) => name,
    },
    {
      id: 'phones',
      header: headers.phones,
      cell: ({ id }) => phonesOf(id) ?? '…',
      order: ({ id }) => phonesOf(id) ?? null,
      width: '8rem',
    },
  ];
}

function MakeTeamForm({ onMade }: { onMade: (name: string) => void }) {
  const { text, submit } = useFields({ name: '' }, problemsOf);
  const make = submit(async ({ name }) => {
    const team = await call('createTeam', { body: { name: name.trim() } });
    onMade(team.name);
  });
  return (
    <Form submitLabel={texts.teams.make} onSubmit={make}>
      <Field label={texts.teams.name} required maxLength={200} autoComplete="off" {...text('name')} />
    </Form>
  );
}

function problemsOf(error: unknown): { name: string } | undefined {
  const said = error instanceof ApiError ? PROBLEMS[error.code] : undefined;
  return said === undefined ? undefined : { name: said };
}

const PROBLEMS: Partial<Record<string, string>> = {
  conflict: texts.teams.nameTaken,
  invalid_name: texts.teams.nameWrong,
};
