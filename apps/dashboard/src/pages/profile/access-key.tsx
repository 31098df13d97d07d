import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { caller, reloadCaller } from '../../api/current-caller.ts';
import { texts } from '../../texts/en.ts';
import { Button, ConfirmDialog, CopyText, Panel, toast } from '../../ui/index.ts';

const { accessKey } = texts.profile;

export function AccessKey() {
  const [asks, setAsks] = useState(false);
  const rotate = async () => {
    await call('rotateAccessKey');
    await reloadCaller();
    toast(accessKey.rotated);
  };
  return (
    <Panel
      title={accessKey.title}
      lead={accessKey.lead}
      actions={<Button onClick={() => setAsks(true)}>{accessKey.rotate}</Button>}
    >
      <CopyText value={caller.value.accessKey} label={accessKey.title} />
      <ConfirmDialog
        open={asks}
        title={accessKey.rotateTitle}
        text={accessKey.rotateText}
        confirmLabel={accessKey.rotate}
        danger
        onConfirm={rotate}
        onClose={() => setAsks(false)}
      />
    </Panel>
  );
}
