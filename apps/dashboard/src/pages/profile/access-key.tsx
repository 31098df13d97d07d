import { call } from '../../api/client.ts';
import { caller, reloadCaller } from '../../api/current-caller.ts';
import { texts } from '../../texts/en.ts';
import { ConfirmButton, CopyText, Panel, toast } from '../../ui/index.ts';

const { accessKey } = texts.profile;

export function AccessKey() {
  const rotate = async () => {
    await call('rotateAccessKey');
    await reloadCaller();
    toast(accessKey.rotated);
  };
  return (
    <Panel
      title={accessKey.title}
      lead={accessKey.lead}
      actions={
        <ConfirmButton
          label={accessKey.rotate}
          title={accessKey.rotateTitle}
          text={accessKey.rotateText}
          onConfirm={rotate}
        />
      }
    >
      <CopyText value={caller.value.accessKey} label={accessKey.title} />
    </Panel>
  );
}
