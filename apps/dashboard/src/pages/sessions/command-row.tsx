import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/index.ts';
import type { LoggedCommand } from './align-commands.ts';
import { commandTitle } from './command-title.ts';
import { isFailed } from './filter-commands.ts';
import { foldStack } from './fold-stack.ts';
import { offsetText } from './offset-text.ts';
import { shownJson } from './shown-json.ts';

interface CommandProps {
  command: LoggedCommand;
  startedAt: string;
  /** Called with the time of the command when the user opens it, so that a recording can show that moment. */
  onMoment?: ((at: number) => void) | undefined;
}

/** Shows one command in readable words. When the user opens it, shows the request and the response too. */
export function Command({ command, startedAt, onMoment }: CommandProps) {
  const { name, summary, error, status, durationMs, at } = command;
  const { log } = texts.sessions;
  return (
    <details
      class={isFailed(command) ? 'command command-failed' : 'command'}
      onToggle={({ currentTarget }) => currentTarget.open && onMoment?.(Date.parse(at))}
    >
      <summary id={commandId(command)}>
        <span class="command-at">{offsetText(Date.parse(at) - Date.parse(startedAt))}</span>
        <span class="command-what breakable">
          <span class="command-name">{commandTitle(name)}</span>{' '}
          <span class="command-summary">{summary}</span>
          {error !== undefined && <span class="command-error">{log.error(error)}</span>}
        </span>
        <Badge tone={isFailed(command) ? 'bad' : 'plain'}>{status}</Badge>
        <span class="command-took">{log.took(durationMs)}</span>
      </summary>
      <Exchange command={command} />
    </details>
  );
}

/** Returns the id of the command's HTML element, which gets the focus when the page jumps to the command. */
export function commandId({ seq }: LoggedCommand): string {
  return `command-${seq}`;
}

function Exchange({ command: { method, path, body, response } }: { command: LoggedCommand }) {
  const { log } = texts.sessions;
  const folded = foldStack(response);
  return (
    <>
      <p class="command-path breakable">
        {method} {path}
      </p>
      <Json label={log.body} value={body} />
      <Json label={log.response} value={folded.response} />
      {folded.stack !== null && (
        <details class="command-stack">
          <summary>{log.stack}</summary>
          <Scrolled text={folded.stack} />
        </details>
      )}
    </>
  );
}

function Json({ label, value }: { label: string; value: unknown }) {
  return (
    <>
      <h3>{label}</h3>
      <Scrolled text={shownJson(value) ?? texts.sessions.log.nothing} />
    </>
  );
}

function Scrolled({ text }: { text: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard
  return <pre tabIndex={0}>{text}</pre>;
}
