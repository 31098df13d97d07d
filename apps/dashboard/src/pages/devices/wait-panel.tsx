import { useEffect, useRef } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { texts } from '../../texts/en.ts';
import { Button, Form, Panel } from '../../ui/index.ts';
import { MinutesField, minutesOf } from './lease-minutes.tsx';
import type { Device } from './seen-devices.ts';
import { QUEUE_SECONDS, waitForLease } from './wait-for-lease.ts';

type Lease = Answer<'createLease'>;

interface WaitPanelProps {
  device: Device;
  isWaiting: boolean;
  onWaiting(isWaiting: boolean): void;
  onLease(lease: Lease): void;
}

/** Lets the user wait in the queue for a phone that somebody else holds (contract 13). */
export function WaitPanel({ device, isWaiting, onWaiting, onLease }: WaitPanelProps) {
  const { udid, lease } = device;
  const ending = useRef(new AbortController());
  // The server takes a request out of the queue when its client goes away.
  useEffect(() => () => ending.current.abort(), []);
  const words = texts.devices.wait;
  const wait = async (form: HTMLFormElement) => {
    ending.current = new AbortController();
    const { signal } = ending.current;
    const body = { udid, minutes: minutesOf(form), queueSeconds: QUEUE_SECONDS };
    onWaiting(true);
    try {
      onLease(await waitForLease(() => call('createLease', { body, signal, mayTakeLong: true })));
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      onWaiting(false);
    }
  };
  return (
    <Panel title={words.title} lead={words.lead}>
      {lease !== undefined && <p>{texts.devices.lease.by(lease.owner.email)}</p>}
      <div role="status">{isWaiting && <Place udid={udid} />}</div>
      <Form
        submitLabel={words.action}
        actions={isWaiting && <Button onClick={() => ending.current.abort()}>{words.cancel}</Button>}
        onSubmit={wait}
      >
        <MinutesField label={words.minutes} />
      </Form>
    </Panel>
  );
}

function Place({ udid }: { udid: string }) {
  const queue = useResource(() => call('getQueue'));
  useReloadOn(['queue_changed'], queue.reload);
  const own = queue.value?.items.find(({ own, wants }) => own && wants.udid === udid);
  const { waiting, place } = texts.devices.wait;
  return (
    <p>
      {waiting} {own !== undefined && place(own.place)}
    </p>
  );
}
