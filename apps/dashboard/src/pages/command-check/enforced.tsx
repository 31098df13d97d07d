import type { Answer } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { texts } from '../../texts/en.ts';
import { Badge, Panel, type Tone } from '../../ui/index.ts';

type Mode = Answer<'commandAuthReport'>['mode'];

const TONES: Readonly<Record<Mode, Tone>> = { on: 'good', 'report-only': 'warn', off: 'plain' };

interface EnforcedProps {
  mode: Mode | undefined;
  features: Answer<'capabilities'>['features'];
}

/** Shows which checks this server performs according to its settings. */
export function Enforced({ mode, features }: EnforcedProps) {
  const { modes, modeTexts, ...words } = texts.commandCheck;
  const isOff = caller.value.authDisabled;
  return (
    <Panel title={words.enforced}>
      <dl class="facts">
        <Fact
          name={words.signIn}
          tone={isOff ? 'bad' : 'good'}
          word={isOff ? words.signInOff : words.signInOn}
          text={isOff ? words.signInOffText : undefined}
        />
        <Fact
          name={words.sessionToken}
          tone={features.sessionTokenGate ? 'good' : 'plain'}
          word={features.sessionTokenGate ? words.sessionTokenOn : words.sessionTokenOff}
          text={features.sessionTokenGate ? words.sessionTokenOnText : words.sessionTokenOffText}
        />
        {mode !== undefined && (
          <Fact name={words.commands} tone={TONES[mode]} word={modes[mode]} text={modeTexts[mode]} />
        )}
      </dl>
    </Panel>
  );
}

function Fact({
  name,
  tone,
  word,
  text,
}: {
  name: string;
  tone: Tone;
  word: string;
  text: string | undefined;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Badge tone={tone}>{word}</Badge>
        {text !== undefined && <p class="hint">{text}</p>}
      </dd>
    </div>
  );
}
