import { useState } from 'preact/hooks';
import { pageAddress } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { pageQuery } from '../../api/page-query.ts';
import { texts } from '../../texts/en.ts';
import { Field, Form, LinkButton, PageHeader, Panel } from '../../ui/index.ts';
import { Decision } from './decision.tsx';
import type { WaitingTerminal } from './waiting-terminal.ts';

const words = texts.terminal;

type State =
  | { readonly step: 'ask'; readonly isUnknown: boolean }
  | { readonly step: 'decide'; readonly terminal: WaitingTerminal }
  | { readonly step: 'done'; readonly terminal: WaitingTerminal; readonly isApproved: boolean };

/**
 * Shows the page that signs in a terminal (RFC 8628). The user types the code that the terminal shows, or opens a link
 * that contains the code, compares the facts about the terminal, and approves or denies.
 */
export function Page() {
  const [state, setState] = useState<State>({ step: 'ask', isUnknown: false });
  const unknown = () => setState({ step: 'ask', isUnknown: true });
  return (
    <>
      <PageHeader title={texts.pages.device} lead={words.lead} />
      {state.step === 'ask' && (
        <AskCode
          isUnknown={state.isUnknown}
          onUnknown={unknown}
          onFound={(terminal) => setState({ step: 'decide', terminal })}
        />
      )}
      {state.step === 'decide' && (
        <Decision
          terminal={state.terminal}
          email={caller.value.email}
          onUnknown={unknown}
          onDecided={(isApproved) => setState({ step: 'done', terminal: state.terminal, isApproved })}
        />
      )}
      {state.step === 'done' && <Done {...state} />}
    </>
  );
}

interface AskCodeProps {
  isUnknown: boolean;
  onFound: (terminal: WaitingTerminal) => void;
  onUnknown: () => void;
}

function AskCode({ isUnknown, onFound, onUnknown }: AskCodeProps) {
  // Use the link's code only to fill in the field, so that no one approves a terminal with a single click on a link.
  const [code, setCode] = useState(() => pageQuery('user_code').slice(0, LONGEST_CODE));
  const submit = async () => {
    const userCode = tidied(code);
    try {
      onFound({ ...(await call('terminalSignIn', { params: { userCode } })), userCode });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
      onUnknown();
    }
  };
  return (
    <Panel title={words.codeTitle} lead={words.codeLead}>
      <div role="alert">{isUnknown && <p class="notice notice-bad">{words.unknown}</p>}</div>
      <Form submitLabel={words.check} onSubmit={submit}>
        <Field
          label={words.code}
          hint={words.codeHint}
          name="userCode"
          required
          maxLength={LONGEST_CODE}
          // Accept eight letters with or without the hyphen, because people may leave it out.
          pattern="\s*[A-Za-z]{4}[\s\-]*[A-Za-z]{4}\s*"
          title={words.codeHint}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      </Form>
    </Panel>
  );
}

const LONGEST_CODE = 20;

/** @returns the typed code in the form in which the terminal shows it */
function tidied(typed: string): string {
  const letters = typed.replace(/[\s-]/g, '').toUpperCase();
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

function Done({ terminal, isApproved }: { terminal: WaitingTerminal; isApproved: boolean }) {
  return (
    <Panel title={isApproved ? words.approvedTitle : words.deniedTitle}>
      <p role="status" tabIndex={-1} ref={focus}>
        {isApproved ? words.approved(terminal.clientName) : words.denied}
      </p>
      {isApproved && <LinkButton href={pageAddress('profile')}>{words.toTokens}</LinkButton>}
    </Panel>
  );
}

/** Moves the keyboard focus to the text that replaced the buttons, so that a screen reader reads it. */
const focus = (text: HTMLElement | null) => text?.focus();
