import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Dialog, Form, SelectField } from '../../ui/index.ts';
import type { HeldPhone } from './held-phones.ts';

interface ExtendDialogProps {
  /** Lease whose time is changed, or undefined if the dialog is closed. */
  lease: HeldPhone | undefined;
  onDone(): void;
  onClose(): void;
}

/** Asks for the time, counted from now, for which a phone stays leased. */
export function ExtendDialog({ lease, onDone, onClose }: ExtendDialogProps) {
  return (
    <Dialog open={lease !== undefined} title={texts.leases.extendTitle(lease?.phone ?? '')} onClose={onClose}>
      {lease !== undefined && lease.leaseId !== null && (
        <Extend id={lease.leaseId} onDone={onDone} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Extend({ id, onDone, onClose }: { id: string; onDone(): void; onClose(): void }) {
  const [minutes, setMinutes] = useState('60');
  return (
    <Form
      submitLabel={texts.leases.extend}
      onSubmit={async () => {
        await call('changeLease', { params: { id }, body: { minutes: Number(minutes) } });
        onDone();
        onClose();
      }}
    >
      <SelectField
        label={texts.leases.minutes}
        options={Object.entries(texts.durations.leases).map(([value, label]) => ({ value, label }))}
        value={minutes}
        onChange={({ currentTarget }) => setMinutes(currentTarget.value)}
      />
    </Form>
  );
}
