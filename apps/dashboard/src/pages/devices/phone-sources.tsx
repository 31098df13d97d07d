import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { texts } from '../../texts/en.ts';
import { Badge, Button, DataTable, Panel, Problem, toast } from '../../ui/index.ts';

type Source = Answer<'listDeviceSources'>[number];
type Plugged = NonNullable<Source['found']>['phones'][number];

/**
 * Interval at which the page searches again for plugged-in phones while the lab has no phones. A shorter interval would
 * be useless, because the server searches at most every 15 s.
 */
const LOOK_AGAIN_MS = 20_000;

/**
 * Shows Admins the plugged-in phones that adb and usbmuxd report, and lets Admins add the phones of adb or usbmuxd to
 * the lab. The panel is open while the lab has no phones, or while adb or usbmuxd responds but is not used. Otherwise
 * it is folded.
 */
export function PhoneSources({ isEmpty }: { isEmpty: boolean }) {
  const sources = useResource((signal) => call('listDeviceSources', { signal }));
  useReloadOn(['device_new', 'device_online', 'device_offline'], sources.reload);
  useEffect(() => {
    if (!isEmpty) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') sources.reload();
    }, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isEmpty, sources.reload]);
  const folded = useRef<HTMLElement>(null);
  const hasSwitched = useRef(false);
  const list = sources.value ?? [];
  const isOffered = list.some(({ on, found }) => !on && found?.answers === true);
  const isDecided = list.some(({ on, found }) => on || found === null);
  const isFolded = !isEmpty && !isOffered;
  // When the user has switched on the last source of phones, the panel folds and the pressed button disappears. Move
  // the focus to the folded panel, because otherwise keyboard users would start at the top of the page.
  useEffect(() => {
    if (!isFolded || !hasSwitched.current) return;
    hasSwitched.current = false;
    if (document.activeElement === null || document.activeElement === document.body) folded.current?.focus();
  }, [isFolded]);
  if (list.length === 0 || !(isEmpty || isOffered || isDecided)) return null;
  const words = texts.phoneSources;
  const change = (source: Source) => {
    hasSwitched.current = true;
    sources.change((before) => before.map((each) => (each.name === source.name ? source : each)));
  };
  const lines = list.map((source) => <SourceLine key={source.name} source={source} change={change} />);
  if (!isFolded)
    return (
      <Panel
        title={words.title}
        lead={words.lead}
        actions={
          <Button busy={sources.isLoading} onClick={sources.reload}>
            {words.again}
          </Button>
        }
      >
        {lines}
      </Panel>
    );
  return (
    <details class="phone-sources">
      <summary ref={folded}>{[words.title, ...notReadyIn(list)].join(': ')}</summary>
      {lines}
    </details>
  );
}

function SourceLine({ source, change }: { source: Source; change(source: Source): void }) {
  const { name, address, on, variable, fixed, found } = source;
  const words = texts.phoneSources;
  const title = words.kinds[name](address);
  const { isBusy, problem, run } = useAction(async () => {
    change(await switched(name, !on));
    toast(on ? words.switchedOff : words.switchedOn);
  });
  return (
    <section class="phone-source" data-source={name} aria-label={title}>
      <h3>
        {title} <Badge tone={on ? 'good' : 'plain'}>{on ? words.on : words.off}</Badge>
      </h3>
      <p>{stateOf(source)}</p>
      {found !== null && found.phones.length > 0 && (
        <DataTable
          label={words.phones(title)}
          rows={found.phones}
          rowKey={({ udid }) => udid}
          columns={[
            { id: 'phone', header: words.phone, cell: nameOf, order: nameOf },
            {
              id: 'version',
              header: words.version,
              cell: ({ osVersion }) => osVersion ?? words.unknown,
              order: ({ osVersion }) => osVersion,
            },
            {
              id: 'state',
              header: words.state,
              cell: ({ state }) => words.states[state],
              order: ({ state }) => words.states[state],
            },
          ]}
        />
      )}
      <Problem text={problem} />
      {fixed ? (
        <p>{words.fixed(variable)}</p>
      ) : (
        <Button kind={on || found?.answers !== true ? 'plain' : 'primary'} busy={isBusy} onClick={run}>
          {labelOf(source)}
        </Button>
      )}
    </section>
  );
}

async function switched(name: Source['name'], on: boolean): Promise<Source> {
  try {
    return await call('setDeviceSource', { params: { name }, body: { on } });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'conflict') throw texts.phoneSources.conflict;
    throw error;
  }
}

function labelOf({ on, found }: Source): string {
  const words = texts.phoneSources;
  if (on) return words.switchOff;
  return found?.answers === false ? words.switchOnLater : words.switchOn;
}

/**
 * @returns an array with a text about the number of plugged-in phones that are not ready, or an empty array if all are
 */
function notReadyIn(sources: readonly Source[]): string[] {
  const phones = sources.flatMap(({ on, found }) => (on ? (found?.phones ?? []) : []));
  const count = phones.filter(({ state }) => state !== 'ready').length;
  return count === 0 ? [] : [texts.phoneSources.notReady(count)];
}

function stateOf({ name, found }: Source): string {
  const words = texts.phoneSources;
  if (found === null) return words.notLooked;
  return found.answers ? words.answers(found.phones.length) : words.silent[name];
}

function nameOf({ name, udid }: Plugged): string {
  return name === null || name === udid ? udid : `${name} (${udid})`;
}
