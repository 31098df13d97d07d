import { mountPage } from '../../shell/mount-page.tsx';
import { texts } from '../../texts/en.ts';
import { PageHeader } from '../../ui/index.ts';

mountPage({ page: 'command-check', needs: 'Admin', Content: CommandCheck });

function CommandCheck() {
  return <PageHeader title={texts.pages['command-check']} />;
}
