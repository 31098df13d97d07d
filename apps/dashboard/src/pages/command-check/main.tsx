import { mountPage } from '../../shell/mount-page.tsx';
import { CommandCheckPage } from './command-check-page.tsx';

mountPage({ page: 'command-check', needs: 'Admin', Content: CommandCheckPage });
