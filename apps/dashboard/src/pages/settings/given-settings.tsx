import { SITE } from '../../api/addresses.ts';
import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Breakable } from '../../ui/breakable.tsx';
import { Badge, type Column, Panel, ResourceTable } from '../../ui/index.ts';

const words = texts.settings.given;

type Given = Answer<'listGivenSettings'>[number];

const COLUMNS: readonly Column<Given>[] = [
  {
    id: 'name',
    header: words.name,
    cell: ({ name }) => (
      <code>
        <Breakable text={name} />
      </code>
    ),
    order: ({ name }) => name,
  },
  {
    id: 'value',
    header: words.value,
    cell: ({ value, isUsable }) => {
      if (!isUsable) return <Badge tone="bad">{words.unusable}</Badge>;
      return value === null ? <span class="soft">{words.set}</span> : <code>{value}</code>;
    },
  },
  {
    id: 'from',
    header: words.from,
    cell: ({ from }) => words.sources[from],
    order: ({ from }) => words.sources[from],
  },
];

/** Lists the settings with which the server was started. Secrets are never sent to the page. */
export function GivenSettings() {
  const given = useResource((signal) => call('listGivenSettings', { signal }));
  return (
    <Panel
      title={words.title}
      lead={
        <>
          {words.lead} <a href={`${SITE}docs/operations/settings.html`}>{words.all}</a>
        </>
      }
    >
      <ResourceTable
        label={words.title}
        resource={given}
        columns={COLUMNS}
        rowKey={({ name, from }) => `${name} ${from}`}
        empty={<p class="soft">{words.none}</p>}
      />
    </Panel>
  );
}
