import { type Answer, call } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { texts } from '../texts/en.ts';
import { Field } from './field.tsx';
import { Form } from './form.tsx';
import { ResourceView } from './states.tsx';
import { toast } from './toast.tsx';
import { useFields } from './use-fields.ts';

type Share = Answer<'listShares'>[number];
type Limits = Share['limits'];

interface LimitsFormProps {
  kind: Share['kind'];
  /** Id of the team or the account. */
  id: string;
}

const NAMES = ['sessions', 'leases', 'minutes'] as const;

/** Form for the limits of a team or a user, with what is used of them now. */
export function LimitsForm({ kind, id }: LimitsFormProps) {
  const shares = useResource((signal) => call('listShares', { signal }), [kind, id]);
  return (
    <ResourceView resource={shares}>
      {(list) => {
        const share = list.find((each) => each.kind === kind && each.id === id);
        return <Fields kind={kind} id={id} share={share} onSaved={shares.reload} />;
      }}
    </ResourceView>
  );
}

interface FieldsProps extends LimitsFormProps {
  share: Share | undefined;
  onSaved: () => void;
}

function Fields({ kind, id, share, onSaved }: FieldsProps) {
  const words = texts.shares;
  const textOf = (name: keyof Limits) => String(share?.limits[name] ?? '');
  const { text, submit } = useFields({
    sessions: textOf('sessions'),
    leases: textOf('leases'),
    minutes: textOf('minutes'),
  });
  const save = submit(async (typed) => {
    const body = {
      sessions: limitOf(typed.sessions),
      leases: limitOf(typed.leases),
      minutes: limitOf(typed.minutes),
    };
    if (kind === 'team') await call('setTeamLimits', { params: { id }, body });
    else await call('setUserLimits', { params: { id }, body });
    toast(words.saved);
    onSaved();
  });
  return (
    <Form submitLabel={words.save} onSubmit={save}>
      <p class="soft">{kind === 'team' ? words.leadTeam : words.leadAccount}</p>
      <div class="limits">
        {NAMES.map((name) => (
          <Field
            key={name}
            label={words[name]}
            hint={share === undefined ? undefined : words.used(share.used[name])}
            inputMode="numeric"
            pattern="\d{0,7}"
            title={words.notWhole}
            autoComplete="off"
            {...text(name)}
          />
        ))}
      </div>
    </Form>
  );
}

function limitOf(typed: string): number | null {
  return typed.trim() === '' ? null : Number(typed);
}
