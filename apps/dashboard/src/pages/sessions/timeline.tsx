import { useState } from 'preact/hooks';
import { texts } from '../../texts/en.ts';
import { Button, CheckField, ErrorState, LoadingState, Panel, SearchBox } from '../../ui/index.ts';
import type { LoggedCommand } from './align-commands.ts';
import { Command, commandId } from './command-row.tsx';
import { type CommandFilter, filterCommands, isFailed } from './filter-commands.ts';
import type { Session } from './merge-sessions.ts';
import type { CommandLog } from './use-command-log.ts';

const EVERYTHING: CommandFilter = { text: '', onlyFailed: false };

interface TimelineProps {
  session: Session;
  log: CommandLog;
  /** Number (`seq`) of the command at the moment that the recording shows. */
  current?: number | undefined;
  /** Called with the time of a command when the user opens it, so that the recording shows that moment. */
  onMoment?: (at: number) => void;
}

/** Lists the commands of a session in order, each with its request and response. */
export function Timeline({ session, log, current, onMoment }: TimelineProps) {
  const [filter, setFilter] = useState(EVERYTHING);
  const shown = filterCommands(log.rows, filter);
  const { none, noMatch, more } = texts.sessions.log;
  return (
    <Panel title={texts.sessions.log.title}>
      {log.state === 'loading' && <LoadingState />}
      {log.state === 'ready' && log.rows.length === 0 && <p>{none}</p>}
      {log.rows.length > 0 && <Tools rows={log.rows} filter={filter} onFilter={setFilter} />}
      {log.rows.length > 0 && shown.length === 0 && <p>{noMatch}</p>}
      <ol class="timeline">
        {shown.map((command) => (
          <li key={command.seq} aria-current={command.seq === current ? 'time' : undefined}>
            <Command command={command} startedAt={session.startedAt} onMoment={onMoment} />
          </li>
        ))}
      </ol>
      {log.state === 'error' && <ErrorState error={log.error} onRetry={log.more} />}
      {log.hasMore && <Button onClick={log.more}>{more}</Button>}
    </Panel>
  );
}

interface ToolsProps {
  rows: readonly LoggedCommand[];
  filter: CommandFilter;
  onFilter(filter: CommandFilter): void;
}

function Tools({ rows, filter, onFilter }: ToolsProps) {
  const { search, onlyFailed, toFirstFailure } = texts.sessions.log;
  const failure = rows.find(isFailed);
  const [resets, setResets] = useState(0);
  const goTo = (command: LoggedCommand) => {
    onFilter(EVERYTHING);
    // The search box stores its own text. To clear the filter, render a new box with another key.
    setResets(resets + 1);
    requestAnimationFrame(() => document.getElementById(commandId(command))?.focus());
  };
  return (
    <div class="command-tools">
      <SearchBox
        key={resets}
        label={search}
        value={filter.text}
        onSearch={(text) => onFilter({ ...filter, text })}
      />
      <CheckField
        label={onlyFailed}
        checked={filter.onlyFailed}
        onChange={({ currentTarget }) => onFilter({ ...filter, onlyFailed: currentTarget.checked })}
      />
      {failure !== undefined && <Button onClick={() => goTo(failure)}>{toFirstFailure}</Button>}
    </div>
  );
}
