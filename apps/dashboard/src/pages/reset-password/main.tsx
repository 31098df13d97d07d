import { mountPage } from '../../shell/mount-page.tsx';
import { ResetPassword } from './reset-password.tsx';
import { takeToken } from './reset-token.ts';

const token = takeToken();
mountPage({ page: 'reset-password', needs: 'none', Content: () => <ResetPassword token={token} /> });
