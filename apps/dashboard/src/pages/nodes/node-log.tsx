import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  Badge,
  Button,
  type Column,
  DataTable,
  Dialog,
  EmptyState,
  ResourceView,
  TimeAgo,
  type Tone,
} from '../../ui/index.ts';

type Line = Answer<'nodeLog'>['items'][number];

const words = texts.nodes.log;
const TONES: Readonly<Record<Line['level'], Tone>> = { info: 'plain', warn: 'warn', error: 'bad' };

interface NodeLogProps {
  /** Name of the node whose lines are shown, or undefined while the dialog is closed. */
  name: string | undefined;
  onClose: () => void;
}

/** Dialog with the last lines that this server logged about a node, newest first. */
export function NodeLog({ name, onClose }: NodeLogProps) {
  return (
    <Dialog open={name !== undefined} wide title={words.title(name ?? '')} onClose={onClose}>
      {name !== undefined && <Lines name={name} onClose={onClose} />}
    </Dialog>
  );
}

function Lines({ name, onClose }: { name: string; onClose: () => void }) {
  const log = useResource((signal) => call('nodeLog', { params: { name }, signal }));
  return (
    <>
      <p class="soft">{words.lead}</p>
      <ResourceView resource={log}>
        {({ items }) => (
          <DataTable
            label={words.title(name)}
            rows={items}
            columns={COLUMNS}
            rowKey={(line) => `${items.length - items.indexOf(line)} ${line.at}`}
            empty={<EmptyState title={words.empty} text={words.emptyText} />}
          />
        )}
      </ResourceView>
      <div class="form-actions">
        <Button onClick={log.reload}>{words.refresh}</Button>
        <Button onClick={onClose}>{texts.common.close}</Button>
      </div>
    </>
  );
}

const LEVELS = ['info', 'warn', 'error'];

const COLUMNS: readonly Column<Line>[] = [
  {
    id: 'at',
    header: words.columns.at,
    cell: ({ at }) => <TimeAgo at={at} />,
    order: ({ at }) => at,
    width: '8rem',
  },
  {
    id: 'level',
    header: words.columns.level,
    cell: ({ level }) => <Badge tone={TONES[level]}>{words.levels[level]}</Badge>,
    order: ({ level }) => LEVELS.indexOf(level),
    width: '7rem',
  },
  {
    id: 'message',
    header: words.columns.message,
    cell: ({ message }) => <span class="breaks">{message}</span>,
  },
];
