import { caller } from '../../api/current-caller.ts';
import { ThemeChoice } from '../../shell/theme-choice.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader, Panel } from '../../ui/index.ts';
import { AccessKey } from './access-key.tsx';
import { Identities } from './identities.tsx';
import { Passkeys } from './passkeys.tsx';
import { Password } from './password.tsx';
import { SignIns } from './sign-ins.tsx';
import { Tokens } from './tokens.tsx';

/** Shows the user's own account with its access key, tokens, sign-ins and password (specification 2, 5.2, 5.9.6). */
export function Page() {
  const { authDisabled } = caller.value;
  return (
    <>
      <PageHeader title={texts.pages.profile} />
      <Account />
      <AccessKey />
      <Tokens />
      {!authDisabled && <SignIns />}
      {!authDisabled && <Identities />}
      {!authDisabled && <Passkeys />}
      {!authDisabled && <Password />}
      <Panel title={texts.theme.title}>
        <ThemeChoice />
      </Panel>
    </>
  );
}

function Account() {
  const { name, email, role, teams } = caller.value;
  const { account } = texts.profile;
  return (
    <Panel title={account.title}>
      <dl class="facts">
        <dt>{account.name}</dt>
        <dd>{name || texts.common.none}</dd>
        <dt>{account.email}</dt>
        <dd>{email}</dd>
        <dt>{account.role}</dt>
        <dd>{role}</dd>
        <dt>{account.teams}</dt>
        <dd>{teams.map((team) => team.name).join(', ') || texts.common.none}</dd>
      </dl>
    </Panel>
  );
}
