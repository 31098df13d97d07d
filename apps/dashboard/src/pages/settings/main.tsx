import { mountPage } from '../../shell/mount-page.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader } from '../../ui/index.ts';

mountPage({ page: 'settings', needs: 'Admin', Content: Settings });

function Settings() {
  return <PageHeader title={texts.pages.settings} />;
}
