import { errorText } from '../../api/error-text.ts';
import { texts } from '../../texts/en.ts';
import { Badge, Button, type Column, TimeAgo, toast } from '../../ui/index.ts';
import type { TrustRule } from './make-rule.tsx';

interface Actions {
  readonly onChange: (rule: TrustRule) => Promise<void>;
  readonly onRemove: (rule: TrustRule) => void;
}

export function columns({ onChange, onRemove }: Actions): readonly Column<TrustRule>[] {
  const headers = texts.workloads.columns;
  return [
    {
      id: 'name',
      header: headers.name,
      cell: ({ name, issuer, owner, paused }) => (
        <span class="two-lines">
          <span>
            {name} {paused && <Badge tone="warn">{texts.workloads.paused}</Badge>}
          </span>
          <span class="soft">{issuer}</span>
          <span class="soft">{texts.workloads.ofOwner(owner.email)}</span>
        </span>
      ),
      order: ({ name }) => name,
    },
    {
      id: 'claims',
      header: headers.claims,
      cell: ({ claims }) => (
        <span class="two-lines">
          {claims.map(({ claim, anyOf }) => (
            <span key={claim}>{texts.workloads.claim(claim, anyOf.join(', '))}</span>
          ))}
        </span>
      ),
    },
    { id: 'scopes', header: headers.scopes, cell: ({ scopes }) => scopes.join(', '), width: '5.5rem' },
    {
      id: 'runs',
      header: headers.runs,
      cell: (rule) => <Runs rule={rule} />,
      order: ({ runs }) => runs[0]?.at ?? null,
    },
    {
      id: 'actions',
      header: headers.actions,
      cell: (rule) => (
        <span class="button-row">
          <Button
            aria-label={
              rule.paused ? texts.workloads.resumeWhat(rule.name) : texts.workloads.pauseWhat(rule.name)
            }
            onClick={() => onChange(rule).catch((error: unknown) => toast(errorText(error)))}
          >
            {rule.paused ? texts.workloads.resume : texts.workloads.pause}
          </Button>
          <Button aria-label={texts.workloads.removeWhat(rule.name)} onClick={() => onRemove(rule)}>
            {texts.workloads.remove}
          </Button>
        </span>
      ),
    },
  ];
}

const SHOWN_RUNS = 3;

function Runs({ rule: { runs } }: { rule: TrustRule }) {
  if (runs.length === 0) return <span class="soft">{texts.workloads.notUsed}</span>;
  return (
    <span class="two-lines">
      {runs.slice(0, SHOWN_RUNS).map(({ at, run, subject }) => (
        <span key={at + run}>
          {run || subject} <TimeAgo at={at} />
        </span>
      ))}
    </span>
  );
}
