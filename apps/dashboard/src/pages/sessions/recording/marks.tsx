import type { Answer } from '../../../api/client.ts';
import { texts } from '../../../texts/en.ts';
import { Button } from '../../../ui/index.ts';
import { clockText } from './moments.ts';

type Mark = Answer<'recording'>['marks'][number];

interface MarksProps {
  marks: readonly Mark[];
  from: number;
  onSeek: (at: number) => void;
}

/**
 * Lists the marked moments of a recording: failures, evidence (pictures that the test asked to keep), and when the
 * recording was paused or resumed. A click on a mark shows its moment.
 */
export function Marks({ marks, from, onSeek }: MarksProps) {
  if (marks.length === 0) return null;
  const { recording } = texts.sessions;
  return (
    <ul class="player-marks" aria-label={recording.marks}>
      {marks.map((mark) => (
        <li key={`${mark.at} ${mark.kind}`}>
          <Button kind="quiet" onClick={() => onSeek(Date.parse(mark.at))}>
            {clockText(Date.parse(mark.at) - from)} {mark.label ?? recording.kinds[mark.kind]}
          </Button>
        </li>
      ))}
    </ul>
  );
}
