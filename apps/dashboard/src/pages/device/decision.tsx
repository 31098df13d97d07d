import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { texts } from '../../texts/en.ts';
import { Button, Panel, Problem, TimeText } from '../../ui/index.ts';
import type { WaitingTerminal } from './waiting-terminal.ts';

const words = texts.terminal;

interface DecisionProps {
  terminal: WaitingTerminal;
  /** E-mail address of the account that the terminal would use. */
  email: string;
  onDecided: (isApproved: boolean) => void;
  /** Called if the code is no longer valid, because it has expired or another person has decided in the meantime. */
  onUnknown: () => void;
}

/** Shows the terminal that requests a sign-in, with buttons to approve and deny it. */
export function Decision({ terminal, email, onDecided, onUnknown }: DecisionProps) {
  const { userCode, clientName, address, createdAt, scopes } = terminal;
  const decide = (approve: boolean) => async () => {
    try {
      await call('decideTerminalSignIn', { params: { userCode }, body: { approve } });
      onDecided(approve);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
      onUnknown();
    }
  };
  const approval = useAction(decide(true));
  const denial = useAction(decide(false));
  const isBusy = approval.isBusy || denial.isBusy;
  const rows = [
    [words.facts.code, <code key="code">{userCode}</code>],
    [words.facts.name, <bdi key="name">{clientName}</bdi>],
    [words.facts.address, address ?? words.noAddress],
    [words.facts.at, <TimeText key="at" at={createdAt} />],
    [words.facts.account, <bdi key="account">{email}</bdi>],
    [words.facts.scopes, scopes?.join(', ') ?? words.allScopes],
  ] as const;
  return (
    <Panel title={words.decideTitle} lead={words.decideLead}>
      <p class="notice notice-warn">{words.warning}</p>
      <dl class="facts" tabIndex={-1} ref={focus}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Problem text={approval.problem ?? denial.problem} />
      <div class="form-actions">
        <Button busy={isBusy} onClick={denial.run}>
          {words.deny}
        </Button>
        <Button kind="primary" busy={isBusy} onClick={approval.run}>
          {words.approve}
        </Button>
      </div>
    </Panel>
  );
}

/** Moves the keyboard focus to the facts about the terminal, so that a screen reader reads them before the buttons. */
const focus = (facts: HTMLElement | null) => facts?.focus();
