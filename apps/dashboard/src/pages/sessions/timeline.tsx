import { texts } from '../../texts/en.ts';
import { Badge, Button, ErrorState, LoadingState, Panel } from '../../ui/index.ts';
import { type LoggedCommand, routeOf } from './align-commands.ts';
import type { Session } from './merge-sessions.ts';
import { shownJson } from './shown-json.ts';
import { useCommandLog } from './use-command-log.ts';

/** The commands of a session in order, each with its request and response. */
export function Timeline({ session }: { session: Session }) {
  const log = useCommandLog(session.id);
  return (
    <Panel title={texts.sessions.log.title}>
      {log.state === 'loading' && <LoadingState />}
      {log.state === 'ready' && log.rows.length === 0 && <p>{texts.sessions.log.none}</p>}
      <ol class="timeline">
        {log.rows.map((command) => (
          <li key={command.seq}>
            <Command command={command} startedAt={session.startedAt} />
          </li>
        ))}
      </ol>
      {log.state === 'error' && <ErrorState error={log.error} onRetry={log.more} />}
      {log.hasMore && <Button onClick={log.more}>{texts.sessions.log.more}</Button>}
    </Panel>
  );
}

export function Command({ command, startedAt }: { command: LoggedCommand; startedAt: string }) {
  const { method, path, status, durationMs, body, response, at } = command;
  const { log } = texts.sessions;
  const seconds = ((Date.parse(at) - Date.parse(startedAt)) / 1_000).toFixed(1);
  return (
    <details class={status >= 400 ? 'command command-failed' : 'command'}>
      <summary>
        <span class="command-at">{log.after(seconds)}</span>
        <span class="command-method">{method}</span>
        <span class="command-path breakable">{routeOf(path)}</span>
        <Badge tone={status >= 400 ? 'bad' : 'plain'}>{status}</Badge>
        <span class="command-took">{log.took(durationMs)}</span>
      </summary>
      <Json label={log.body} value={body} />
      <Json label={log.response} value={response} />
    </details>
  );
}

function Json({ label, value }: { label: string; value: unknown }) {
  return (
    <>
      <h3>{label}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard */}
      <pre tabIndex={0}>{shownJson(value) ?? texts.sessions.log.nothing}</pre>
    </>
  );
}
