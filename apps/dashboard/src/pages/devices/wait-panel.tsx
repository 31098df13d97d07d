import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { texts } from '../../texts/en.ts';
import { Button, Form, Panel } from '../../ui/index.ts';
import { MinutesField, minutesOf } from './lease-minutes.tsx';
import type { Device } from './seen-devices.ts';
import { QUEUE_SECONDS, waitForLease } from './wait-for-lease.ts';

type Lease = Answer<'createLease'>;

/** A request for a lease that waits until the phone is free. */
export interface Waiting {
  readonly isWaiting: boolean;
  /** Waits until the user gets a lease or stops. Rejects with the refusal if waiting is not possible. */
  start(udid: string, minutes: number): Promise<void>;
  stop(): void;
}

/**
 * Belongs to the component that also shows the lease: a live event tells of the lease before the request is answered,
 * and a request that ended with the panel would lose the lease token. The server takes a request out of the queue when
 * its client goes away.
 */
export function useWaiting(onLease: (lease: Lease) => void): Waiting {
  const [isWaiting, setWaiting] = useState(false);
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);
  const start = async (udid: string, minutes: number) => {
    ending.current = new AbortController();
    const { signal } = ending.current;
    const body = { udid, minutes, queueSeconds: QUEUE_SECONDS };
    setWaiting(true);
    try {
      onLease(await waitForLease(() => call('createLease', { body, signal, mayTakeLong: true })));
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      setWaiting(false);
    }
  };
  return { isWaiting, start, stop: () => ending.current.abort() };
}

/** Lets the user wait in the queue for a phone that somebody else holds (contract 13). */
export function WaitPanel({ device: { udid }, waiting }: { device: Device; waiting: Waiting }) {
  const words = texts.devices.wait;
  return (
    <Panel title={words.title} lead={words.lead}>
      <div role="status">{waiting.isWaiting && <Place udid={udid} />}</div>
      <Form
        submitLabel={words.action}
        actions={waiting.isWaiting && <Button onClick={waiting.stop}>{words.cancel}</Button>}
        onSubmit={(form) => waiting.start(udid, minutesOf(form))}
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
