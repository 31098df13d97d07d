import { useMemo, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { sessionAddress } from '../../api/record-addresses.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Button, CheckField, PageHeader, ResourceView, TimeText } from '../../ui/index.ts';
import { type AlignedCommands, alignCommands, firstDifference, MOST_COMPARED } from './align-commands.ts';
import { ComparedLine } from './compared-line.tsx';
import { foldLines, type ShownLine } from './fold-lines.ts';
import type { Session } from './merge-sessions.ts';
import { StatusBadge } from './status-badge.tsx';
import { wholeLog } from './whole-log.ts';

const FIRST = 'first-difference';

/** Shows two runs of one test side by side and marks their first difference. */
export function Comparison({ id, against }: { id: string; against: string }) {
  const compared = useResource(() => Promise.all([runOf(id), runOf(against)]), [id, against]);
  return (
    <>
      <PageHeader title={texts.sessions.compare.title} />
      <p class="back">
        <a href={sessionAddress(id)}>
          {texts.sessions.compare.back(compared.value?.[0].session.name ?? texts.sessions.unnamed)}
        </a>
      </p>
      <ResourceView resource={compared}>
        {([left, right]) => <SideBySide left={left} right={right} />}
      </ResourceView>
    </>
  );
}

type Run = Awaited<ReturnType<typeof runOf>>;

async function runOf(id: string) {
  const [session, log] = await Promise.all([call('session', { params: { id } }), wholeLog(id)]);
  return { session, ...log };
}

function SideBySide({ left, right }: { left: Run; right: Run }) {
  const lines = useMemo(() => alignCommands(left.rows, right.rows), [left, right]);
  const [isFolded, setFolded] = useState(true);
  const first = firstDifference(lines);
  const shown: readonly ShownLine[] = isFolded
    ? foldLines(lines)
    : lines.map((line, from) => ({ kind: 'line', from, line }));
  const { compare } = texts.sessions;
  return (
    <>
      <div class="compared-heads">
        <RunHead label={compare.left} session={left.session} />
        <RunHead label={compare.right} session={right.session} />
      </div>
      {(left.isCut || right.isCut) && <p>{compare.cut(MOST_COMPARED)}</p>}
      {first === -1 ? (
        <p role="status">{compare.same}</p>
      ) : (
        <div class="compared-tools">
          <Button onClick={toFirst}>{compare.toFirst}</Button>
          <CheckField
            label={compare.onlyDifferences}
            checked={isFolded}
            onChange={({ currentTarget }) => setFolded(currentTarget.checked)}
          />
        </div>
      )}
      <ol class="compared">
        {shown.map((each) => (
          <Shown key={each.from} shown={each} first={first} runs={[left.session, right.session]} />
        ))}
      </ol>
    </>
  );
}

interface ShownProps {
  shown: ShownLine;
  first: number;
  runs: readonly [Session, Session];
}

function Shown({ shown, first, runs }: ShownProps) {
  if (shown.kind === 'fold')
    return <li class="compared-fold">{texts.sessions.compare.folded(shown.count)}</li>;
  const isFirst = shown.from === first;
  const { difference }: AlignedCommands = shown.line;
  return (
    <li
      class={`compared-line compared-${difference}`}
      id={isFirst ? FIRST : undefined}
      tabIndex={isFirst ? -1 : undefined}
    >
      {isFirst && <strong class="first-difference">{texts.sessions.compare.first}</strong>}
      <ComparedLine line={shown.line} runs={runs} />
    </li>
  );
}

function toFirst(): void {
  const line = document.getElementById(FIRST);
  line?.scrollIntoView({ block: 'center' });
  line?.focus();
}

function RunHead({ label, session }: { label: string; session: Session }) {
  return (
    <section aria-label={label}>
      <p class="soft">{label}</p>
      <p>
        <a href={sessionAddress(session.id)} class="breakable">
          {session.name ?? texts.sessions.unnamed}
        </a>{' '}
        <StatusBadge session={session} />
      </p>
      <p>
        <TimeText at={session.startedAt} />
      </p>
    </section>
  );
}
