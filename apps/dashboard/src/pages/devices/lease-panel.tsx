import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { texts } from '../../texts/en.ts';
import { ConfirmButton, Form, Panel, SecretOnce, toast } from '../../ui/index.ts';
import { useRefocus } from '../../ui/use-refocus.ts';
import { MinutesField, minutesOf } from './lease-minutes.tsx';
import type { Device, Lease } from './seen-devices.ts';
import { useWaiting, WaitPanel } from './wait-panel.tsx';

interface LeasePanelProps {
  device: Device;
  /** Lease of the phone, or undefined if there is none or the caller is not allowed to change it. */
  lease: Lease | undefined;
  reload(): void;
}

/** Lets the user reserve the phone and give it back (contract 2, `/leases`). */
export function LeasePanel(props: LeasePanelProps) {
  const { part, expect } = useRefocus(props.lease?.leaseId);
  return (
    <div ref={part}>
      <Shown {...props} onChange={expect} />
    </div>
  );
}

interface ShownProps extends LeasePanelProps {
  /** Called when the user starts an action that will replace the content of this panel. */
  onChange(): void;
}

function Shown({ device, lease, reload, onChange }: ShownProps) {
  const [made, setMade] = useState<Answer<'createLease'>>();
  const words = texts.devices.lease;
  const take = (lease: Answer<'createLease'>) => {
    setMade(lease);
    onChange();
    toast(words.kept);
    reload();
  };
  const waiting = useWaiting(take);
  if (lease !== undefined) {
    return (
      <Panel title={isOwn(lease) ? words.ownTitle : words.heldTitle}>
        <Held device={device} lease={lease} reload={reload} onEnd={onChange} />
        {made?.leaseId === lease.leaseId && <MadeToken made={made} />}
      </Panel>
    );
  }
  if (device.status === 'away') return null;
  if (waiting.isWaiting || isOthers(device)) {
    return <WaitPanel device={device} waiting={waiting} />;
  }
  return (
    <Panel title={words.title} lead={words.lead}>
      <Form
        submitLabel={words.keep}
        onSubmit={async (form) => {
          take(await call('createLease', { body: { udid: device.udid, minutes: minutesOf(form) } }));
        }}
      >
        <MinutesField label={words.minutes} />
      </Form>
    </Panel>
  );
}

/** @returns whether somebody else holds the phone with a lease or a session */
function isOthers({ status, lease, session }: Device): boolean {
  return lease !== undefined || (status === 'busy' && session?.owner?.id !== caller.value.id);
}

interface HeldProps {
  device: Device;
  lease: Lease;
  reload(): void;
  onEnd(): void;
}

function Held({ device: { name }, lease, reload, onEnd }: HeldProps) {
  const words = texts.devices.lease;
  const { end, endOthers, endTitle, endOthersTitle, endText, ended } = texts.leases;
  const endLabel = isOwn(lease) ? end : endOthers;
  const params = { id: lease.leaseId };
  return (
    <Form
      submitLabel={words.extendAction}
      actions={
        <ConfirmButton
          label={endLabel}
          title={isOwn(lease) ? endTitle(name) : endOthersTitle(name, lease.owner.email)}
          text={endText}
          kind={isOwn(lease) ? 'primary' : 'danger'}
          onConfirm={async () => {
            await call('endLease', { params });
            onEnd();
            toast(ended);
            reload();
          }}
        />
      }
      onSubmit={async (form) => {
        await call('changeLease', { params, body: { minutes: minutesOf(form) } });
        toast(words.extended);
        reload();
      }}
    >
      <MinutesField label={words.extend} />
    </Form>
  );
}

function isOwn({ owner }: Lease): boolean {
  return owner.id === caller.value.id;
}

function MadeToken({ made: { leaseId, leaseToken } }: { made: Answer<'createLease'> }) {
  const words = texts.devices.lease;
  return (
    <>
      <p>{words.tokenText}</p>
      <SecretOnce label={words.token} value={JSON.stringify({ 'svc:options': { leaseId, leaseToken } })} />
    </>
  );
}
