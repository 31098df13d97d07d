import { mountPage } from '../../shell/mount-page.tsx';
import { ForgotPassword } from './forgot-password.tsx';

mountPage({ page: 'forgot-password', needs: 'none', Content: ForgotPassword });
