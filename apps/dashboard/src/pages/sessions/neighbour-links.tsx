import { errorText } from '../../api/error-text.ts';
import { sessionAddress } from '../../api/record-addresses.ts';
import { useAction } from '../../api/use-action.ts';
import { texts } from '../../texts/en.ts';
import { IconButton, toast } from '../../ui/index.ts';
import type { Session } from './merge-sessions.ts';
import { sessionAfter, sessionBefore } from './neighbours.ts';

/** Buttons that open the session that started before or after this one. */
export function NeighbourLinks({ session }: { session: Session }) {
  return (
    <div class="segments">
      <Neighbour icon="previous" label={texts.sessions.detail.previous} find={() => sessionBefore(session)} />
      <Neighbour icon="next" label={texts.sessions.detail.next} find={() => sessionAfter(session)} />
    </div>
  );
}

interface NeighbourProps {
  icon: 'previous' | 'next';
  label: string;
  find(): Promise<Session | undefined>;
}

function Neighbour({ icon, label, find }: NeighbourProps) {
  const open = useAction(async () => {
    try {
      const found = await find();
      if (found === undefined) toast(texts.sessions.detail.noNeighbour);
      else location.assign(sessionAddress(found.id));
    } catch (error) {
      toast(errorText(error));
    }
  });
  return <IconButton icon={icon} label={label} busy={open.isBusy} onClick={open.run} />;
}
