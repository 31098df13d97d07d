import { mountPage } from '../../shell/mount-page.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader } from '../../ui/index.ts';

mountPage({ page: 'devices', needs: 'any', Content: Devices });

function Devices() {
  return <PageHeader title={texts.pages.devices} />;
}
