import type { Answer } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button, type Column, DataTable, EmptyState, Panel, TimeText, timeColumn } from '../../ui/index.ts';

type Report = Answer<'commandAuthReport'>;
type Client = Report['clients'][number];

interface ReportPanelProps {
  report: Report;
  isLoading: boolean;
  onRefresh: () => void;
}

/** Shows the clients whose commands the server would refuse if its command check were on. */
export function ReportPanel({ report, isLoading, onRefresh }: ReportPanelProps) {
  const { mode, since, checked, wouldRefuse, notKept, clients } = report;
  const words = texts.commandCheck;
  if (mode !== 'report-only') {
    return (
      <Panel title={words.report}>
        <p>{mode === 'on' ? words.reportOn : words.reportOff}</p>
      </Panel>
    );
  }
  return (
    <Panel
      title={words.report}
      lead={words.reportLead}
      actions={
        <Button busy={isLoading} onClick={onRefresh}>
          {words.refresh}
        </Button>
      }
    >
      <p>
        {words.since} <TimeText at={since} />: {words.counts(wouldRefuse, checked)}{' '}
        {notKept > 0 && words.notKept(notKept)}
      </p>
      <DataTable
        label={words.list}
        rows={clients}
        columns={columns()}
        rowKey={({ session, address, userAgent }) => JSON.stringify([session, address, userAgent])}
        empty={<EmptyState title={words.clean} />}
      />
    </Panel>
  );
}

function columns(): readonly Column<Client>[] {
  const { columns: headers, noAddress, noAgent, times } = texts.commandCheck;
  return [
    {
      id: 'client',
      header: headers.client,
      cell: ({ address, userAgent }) => (
        <span class="two-lines">
          <span>{address ?? noAddress}</span>
          <span class="soft">{userAgent ?? noAgent}</span>
        </span>
      ),
      order: ({ address }) => address,
    },
    {
      id: 'session',
      header: headers.session,
      cell: ({ session }) => <code>{session}</code>,
      order: ({ session }) => session,
    },
    {
      id: 'count',
      header: headers.count,
      cell: ({ wouldRefuse }) => wouldRefuse,
      order: ({ wouldRefuse }) => wouldRefuse,
      width: '8rem',
    },
    {
      id: 'reasons',
      header: headers.reasons,
      cell: ({ reasons }) => (
        <ul class="plain-list">
          {reasons.map(({ reason, count }) => (
            <li key={reason}>
              {times(count)} {reason}
            </li>
          ))}
        </ul>
      ),
    },
    timeColumn('last', headers.last, ({ lastAt }) => lastAt, '11rem'),
  ];
}
