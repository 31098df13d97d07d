import { texts } from '../../../texts/en.ts';
import { Button } from '../../../ui/index.ts';
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
      <p class="player-time">{recording.momentOf(shown, length)}</p>
      <div class="player-buttons">
        <Button {...step(-1)}>{recording.previousCommand}</Button>
        <Button kind="primary" onClick={toggle}>
          {isPlaying ? recording.pause : recording.play}
        </Button>
        <Button {...step(1)}>{recording.nextCommand}</Button>
        <fieldset class="player-speeds">
          <legend>{recording.speed}</legend>
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
