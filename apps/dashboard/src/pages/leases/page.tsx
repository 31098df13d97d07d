import { useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { deviceAddress } from '../../api/record-addresses.ts';
import { useResource } from '../../api/use-resource.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { texts } from '../../texts/en.ts';
import { Breakable } from '../../ui/breakable.tsx';
import {
  Badge,
  Button,
  type Column,
  ConfirmDialog,
  DataTable,
  EmptyState,
  PageHeader,
  ResourceView,
  TimeText,
  toast,
} from '../../ui/index.ts';
import { TimeLeft } from '../../ui/running-time.tsx';
import { ExtendDialog } from './extend-dialog.tsx';
import { type HeldPhone, heldPhones } from './held-phones.ts';

type Change = { readonly kind: 'extend' | 'end'; readonly lease: HeldPhone };

/**
 * Shows which phones are leased, to whom and until when. Lets users change their own leases. Super admins, and users
 * with the scope `admin`, can change all leases.
 */
export function Page() {
  const held = useResource(loadHeld);
  const [change, setChange] = useState<Change>();
  useReloadOn(
    ['lease_created', 'lease_changed', 'lease_ended', 'device_changed', 'device_hidden', 'account_changed'],
    held.reload,
  );
  const close = () => setChange(undefined);
  const done = (said: string) => {
    toast(said);
    held.reload();
  };
  const words = texts.leases;
  const { kind, lease } = change ?? {};
  return (
    <>
      <PageHeader title={texts.pages.leases} lead={words.lead} />
      <section class="panel" aria-label={words.list}>
        <ResourceView resource={held}>
          {(list) =>
            list === null ? (
              <p>{words.managed}</p>
            ) : (
              <DataTable
                label={words.list}
                rows={list}
                columns={columns(setChange)}
                rowKey={({ udid }) => udid}
                empty={<EmptyState title={words.empty} text={words.emptyText} />}
              />
            )
          }
        </ResourceView>
      </section>
      <ExtendDialog
        lease={kind === 'extend' ? lease : undefined}
        onDone={() => done(words.extended)}
        onClose={close}
      />
      <ConfirmDialog
        open={kind === 'end'}
        title={lease === undefined ? '' : endTitle(lease)}
        text={words.endText}
        confirmLabel={lease?.isMine === false ? words.endOthers : words.end}
        kind={lease?.isMine === false ? 'danger' : 'primary'}
        onConfirm={async () => {
          if (lease?.leaseId != null) await call('endLease', { params: { id: lease.leaseId } });
          done(words.ended);
        }}
        onClose={close}
      />
    </>
  );
}

/** Loads the leases. Returns null if this server is a node, because then the leases are stored only on its hub. */
async function loadHeld(signal: AbortSignal): Promise<HeldPhone[] | null> {
  try {
    const [devices, leases] = await Promise.all([
      call('listDevices', { signal }),
      call('listLeases', { signal }),
    ]);
    return heldPhones(devices, leases, caller.value.id);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'managed_by_hub') return null;
    throw error;
  }
}

function endTitle({ isMine, phone, holder }: HeldPhone): string {
  return isMine ? texts.leases.endTitle(phone) : texts.leases.endOthersTitle(phone, holder.email);
}

function columns(change: (change: Change) => void): readonly Column<HeldPhone>[] {
  const headers = texts.leases.columns;
  return [
    {
      id: 'phone',
      header: headers.phone,
      order: ({ phone }) => phone,
      cell: ({ udid, phone }) => <a href={deviceAddress(udid)}>{phone}</a>,
    },
    {
      id: 'holder',
      header: headers.holder,
      order: ({ holder }) => holder.email,
      cell: ({ isMine, holder }) =>
        isMine ? <Badge tone="own">{texts.leases.you}</Badge> : <Breakable text={holder.email} />,
    },
    {
      id: 'until',
      header: headers.until,
      cell: ({ expiresAt }) => <TimeText at={expiresAt} />,
      order: ({ expiresAt }) => expiresAt,
    },
    {
      id: 'left',
      header: headers.left,
      cell: ({ expiresAt }) => <TimeLeft until={expiresAt} />,
      order: ({ expiresAt }) => expiresAt,
    },
    {
      id: 'actions',
      header: headers.actions,
      cell: (lease) => (lease.leaseId === null ? null : <Actions lease={lease} change={change} />),
    },
  ];
}

function Actions({ lease, change }: { lease: HeldPhone; change(change: Change): void }) {
  const { isMine, phone, holder } = lease;
  const words = texts.leases;
  return (
    <div class="page-actions">
      <Button aria-label={words.extendOf(phone)} onClick={() => change({ kind: 'extend', lease })}>
        {words.extend}
      </Button>
      <Button
        aria-label={isMine ? words.endOf(phone) : words.endOthersOf(phone, holder.email)}
        onClick={() => change({ kind: 'end', lease })}
      >
        {isMine ? words.end : words.endOthers}
      </Button>
    </div>
  );
}
