import { texts } from '../../../texts/en.ts';
import { Button, IconButton } from '../../../ui/index.ts';
import type { LoggedCommand } from '../align-commands.ts';
import { clockText, stepFrom } from './moments.ts';
import { type Player, SPEEDS, type Span } from './use-player.ts';

interface PlayerControlsProps {
  player: Player;
  span: Span;
  commands: readonly LoggedCommand[];
}

/** Length of one step of the slider, in milliseconds. */
const SLIDER_STEP_MS = 100;

export function PlayerControls({ player, span, commands }: PlayerControlsProps) {
  const { at, isPlaying, speed, seek, toggle, setSpeed } = player;
  const { recording } = texts.sessions;
  const [shown, length] = [clockText(at - span.from), clockText(span.to - span.from)];
  const step = (direction: 1 | -1) => {
    const command = stepFrom(commands, at, direction);
    return { disabled: command === undefined, onClick: () => command && seek(Date.parse(command.at)) };
  };
  return (
    <div class="player-controls">
      <input
        type="range"
        aria-label={recording.moment}
        aria-valuetext={recording.momentOf(shown, length)}
        min={0}
        max={span.to - span.from}
        step={SLIDER_STEP_MS}
        value={at - span.from}
        onInput={({ currentTarget }) => seek(span.from + currentTarget.valueAsNumber)}
      />
      <div class="player-buttons">
        <IconButton icon="stepBack" label={recording.previousCommand} {...step(-1)} />
        <IconButton
          icon={isPlaying ? 'pause' : 'play'}
          kind="primary"
          label={isPlaying ? recording.pause : recording.play}
          onClick={toggle}
        />
        <IconButton icon="stepOn" label={recording.nextCommand} {...step(1)} />
        <p class="player-time">{recording.momentOf(shown, length)}</p>
        <fieldset class="player-speeds segments">
          <legend class="off-screen">{recording.speed}</legend>
          {SPEEDS.map((each) => (
            <Button key={each} aria-pressed={each === speed} onClick={() => setSpeed(each)}>
              {recording.times(each)}
            </Button>
          ))}
        </fieldset>
      </div>
    </div>
  );
}
