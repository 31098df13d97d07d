import { useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { texts } from '../../texts/en.ts';
import { Button, DataTable, Panel, Problem, TimeText } from '../../ui/index.ts';
import { removalName } from '../../ui/removal-name.ts';

type Plan = Answer<'getCleaningPlan'>;

const words = texts.care.plan;

/**
 * Shows an Admin what a cleaning would remove from the phone now (contract 17.3). Reads the phone only when asked to,
 * because that takes some seconds.
 */
export function CleaningPanel({ udid }: { udid: string }) {
  const [plan, setPlan] = useState<Plan>();
  const reading = useAction(async () => setPlan(await planOf(udid)));
  return (
    <Panel
      title={words.title}
      lead={words.lead}
      actions={
        <Button busy={reading.isBusy} onClick={reading.run}>
          {words.action}
        </Button>
      }
    >
      <Problem text={reading.problem} />
      <div role="status">{plan !== undefined && <Summary plan={plan} />}</div>
      {plan !== undefined && (
        <DataTable
          label={words.title}
          rows={plan.items}
          rowKey={({ name }) => name}
          empty={null}
          columns={[
            {
              id: 'name',
              header: words.name,
              cell: ({ name }) => <span class="breakable">{removalName(name)}</span>,
              order: ({ name }) => removalName(name),
            },
            {
              id: 'why',
              header: words.why,
              cell: ({ why }) => <span class="breakable">{why}</span>,
              order: ({ why }) => why,
            },
          ]}
        />
      )}
    </Panel>
  );
}

function Summary({ plan: { since, kept, items } }: { plan: Plan }) {
  if (since === null) return <p>{words.none}</p>;
  return (
    <>
      {kept && <p>{words.kept}</p>}
      {items.length === 0 && <p>{words.unchanged}</p>}
      <p class="soft">
        {words.since} <TimeText at={since} />
      </p>
    </>
  );
}

async function planOf(udid: string): Promise<Plan> {
  try {
    return await call('getCleaningPlan', { params: { udid } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw words.notCleaned;
    throw error;
  }
}
