import { mountPage } from '../../shell/mount-page.tsx';
import { NodesPage } from './nodes-page.tsx';

mountPage({ page: 'nodes', needs: 'Admin', Content: NodesPage });
