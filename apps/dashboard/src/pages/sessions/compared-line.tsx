import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/index.ts';
import type { AlignedCommands, LoggedCommand } from './align-commands.ts';
import { Command } from './command-row.tsx';
import type { Session } from './merge-sessions.ts';

interface ComparedLineProps {
  line: AlignedCommands;
  runs: readonly [Session, Session];
  /** Called when the user opens a command of the line, so that recordings can show its moment. */
  onOpen(): void;
}

/** Shows one line of a comparison: a command of both runs, or of one run if the other run lacks the command. */
export function ComparedLine({ line: { left, right, difference }, runs, onOpen }: ComparedLineProps) {
  return (
    <>
      <Side command={left} run={runs[0]} onOpen={onOpen} />
      <Side command={right} run={runs[1]} onOpen={onOpen} />
      {difference !== 'same' && (
        <Badge tone={difference === 'body' ? 'warn' : 'bad'}>
          {texts.sessions.compare.differences[difference]}
        </Badge>
      )}
    </>
  );
}

interface SideProps extends Pick<ComparedLineProps, 'onOpen'> {
  command: LoggedCommand | null;
  run: Session;
}

function Side({ command, run, onOpen }: SideProps) {
  if (command === null) return <p class="soft compared-missing">{texts.sessions.compare.missing}</p>;
  return <Command command={command} startedAt={run.startedAt} onMoment={onOpen} />;
}
