import { mountPage } from '../../shell/mount-page.tsx';
import { TerminalPage } from './terminal-page.tsx';

mountPage({ page: 'device', needs: 'any', Content: TerminalPage });
