import { useState } from 'preact/hooks';
import { pageAddress } from '../../api/addresses.ts';
import { type Answer, call } from '../../api/client.ts';
import { caller, isAtLeast } from '../../api/current-caller.ts';
import { deviceAddress } from '../../api/record-addresses.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { durationText } from '../../ui/duration-text.ts';
import {
  type Column,
  DataTable,
  EmptyState,
  PageHeader,
  Panel,
  ResourceView,
  SelectField,
} from '../../ui/index.ts';
import { namesOf } from './find-devices.ts';
import { lastMonths, monthText, partsOf, percentText, type UseTimes } from './use-parts.ts';

type Usage = Answer<'labUsage'>;

const words = texts.usage;

/** Shows how long each phone was used in the last 7 days and, to Admins, the same for the phones of each team. */
export function UsagePage() {
  const [month, setMonth] = useState('');
  return (
    <>
      <p class="back">
        <a href={pageAddress('devices')}>{texts.devices.back}</a>
      </p>
      <PageHeader title={month === '' ? words.title : words.monthTitle(monthText(month))} lead={words.lead} />
      {isAtLeast(caller.value.role, 'Admin') && (
        <div class="filter-bar">
          <SelectField
            label={words.period}
            value={month}
            options={[
              { value: '', label: words.week },
              ...lastMonths(new Date()).map((each) => ({ value: each, label: monthText(each) })),
            ]}
            onInput={({ currentTarget }) => setMonth(currentTarget.value)}
          />
        </div>
      )}
      {month === '' ? <Week /> : <Month key={month} month={month} />}
    </>
  );
}

function Week() {
  const usage = useResource(() => call('labUsage'));
  return <ResourceView resource={usage}>{(value) => <Tables {...value} />}</ResourceView>;
}

function Month({ month }: { month: string }) {
  const usage = useResource(() => call('getUsageOfMonth', { params: { month } }));
  return (
    <ResourceView resource={usage}>
      {(value) => (
        <>
          <p>
            <a href={`/svc/api/usage/months/${month}/csv`} download>
              {words.csv}
            </a>
          </p>
          {value.kinds.length > 0 && (
            <Panel title={words.kinds} lead={words.kindsLead}>
              <ul>
                {value.kinds.map(({ kind, savedSeconds }) => (
                  <li key={kind}>{words.saved(kind, durationText(savedSeconds * 1_000))}</li>
                ))}
              </ul>
            </Panel>
          )}
          <Tables {...value} />
          {value.people !== null && <People people={value.people} />}
        </>
      )}
    </ResourceView>
  );
}

function People({ people }: { people: NonNullable<Answer<'getUsageOfMonth'>['people']> }) {
  return (
    <Panel title={words.people}>
      <DataTable
        label={words.people}
        rows={people}
        rowKey={({ id }) => id}
        empty={<EmptyState {...words.none} />}
        columns={[
          { id: 'person', header: words.person, cell: ({ email }) => email, order: ({ email }) => email },
          {
            id: 'sessions',
            header: words.sessions,
            cell: ({ sessionSeconds }) => durationText(sessionSeconds * 1_000),
            order: ({ sessionSeconds }) => sessionSeconds,
          },
          {
            id: 'leases',
            header: words.leased,
            cell: ({ leaseSeconds }) => durationText(leaseSeconds * 1_000),
            order: ({ leaseSeconds }) => leaseSeconds,
          },
        ]}
      />
    </Panel>
  );
}

function Tables({ phones, teams }: Pick<Usage, 'phones' | 'teams'>) {
  if (phones.every(({ presentSeconds }) => presentSeconds === 0) && !teams?.length) {
    return <EmptyState {...words.none} />;
  }
  const names = namesOf(phones.map((phone) => ({ ...phone, node: null })));
  return (
    <>
      <ul class="use-legend" aria-label={words.legend}>
        {USES.map((kind) => (
          <li key={kind}>
            <span class={`use-mark use-${kind}`} aria-hidden="true" /> {words.kindsOfUse[kind]}
          </li>
        ))}
      </ul>
      {teams !== null && teams.length > 0 && (
        <Panel title={words.teams} lead={words.teamsLead}>
          <DataTable
            label={words.teams}
            rows={teams.toSorted(mostUsedFirst)}
            rowKey={({ team }) => team?.id ?? ''}
            columns={[
              { id: 'team', header: words.team, cell: teamName, order: teamName },
              {
                id: 'phones',
                header: words.count,
                cell: ({ phones: count }) => count,
                order: ({ phones: count }) => count,
              },
              ...useColumns,
            ]}
          />
        </Panel>
      )}
      <Panel title={words.phones}>
        <DataTable
          label={words.phones}
          rows={phones.toSorted(mostUsedFirst)}
          rowKey={({ udid, team }) => `${udid} ${team?.id}`}
          columns={[
            {
              id: 'phone',
              header: words.phone,
              cell: ({ udid, name }) => <a href={deviceAddress(udid)}>{names.get(udid) ?? name}</a>,
              order: ({ udid, name }) => names.get(udid) ?? name,
            },
            { id: 'team', header: words.team, cell: teamName, order: teamName },
            ...useColumns,
          ]}
        />
      </Panel>
    </>
  );
}

const teamName = ({ team }: { team: { name: string } | null }) => team?.name ?? words.sharedPool;

const USES = ['busy', 'leased', 'waited'] as const;
type Use = (typeof USES)[number];

const useColumns: readonly Column<UseTimes>[] = [
  {
    id: 'share',
    header: words.share,
    width: '24%',
    cell: (use) => <Bars use={use} />,
    order: (use) => partsOf(use).busy + partsOf(use).leased,
  },
  ...USES.map((kind) => ({
    id: kind,
    header: words[kind],
    cell: (use: UseTimes) => <Part use={use} kind={kind} />,
    order: (use: UseTimes) => use[`${kind}Seconds`],
  })),
  {
    id: 'present',
    header: words.present,
    cell: (use) => durationText(use.presentSeconds * 1_000),
    order: ({ presentSeconds }) => presentSeconds,
  },
];

/**
 * Shows as bars how long phones were busy, were leased, or had a request waiting for them. The bars are hidden from
 * screen readers, because the cells beside them say the same in words.
 */
function Bars({ use }: { use: UseTimes }) {
  const { busy, leased, waited } = partsOf(use);
  return (
    <div class="use-bars" aria-hidden="true">
      <div>
        <span class="use-busy" style={{ width: `${busy * 100}%` }} />
        <span class="use-leased" style={{ width: `${leased * 100}%` }} />
      </div>
      <div>
        <span class="use-waited" style={{ width: `${waited * 100}%` }} />
      </div>
    </div>
  );
}

/** Shows the time of one kind of use in words, after a mark in the color of the bar for this kind. */
function Part({ use, kind }: { use: UseTimes; kind: Use }) {
  const seconds = use[`${kind}Seconds`];
  if (seconds === 0) return <span class="soft">–</span>;
  return (
    <>
      <span class={`use-mark use-${kind}`} aria-hidden="true" />{' '}
      {words.part(percentText(seconds, use.presentSeconds), durationText(seconds * 1_000))}
    </>
  );
}

function mostUsedFirst(a: UseTimes, b: UseTimes): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  return right.busy + right.leased - left.busy - left.leased || right.waited - left.waited;
}
