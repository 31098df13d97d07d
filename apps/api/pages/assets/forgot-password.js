import { call } from './api.js';
import { byId, onSubmit, show } from './forms.js';

onSubmit(
  byId('ask-form'),
  ({ email }) => call('POST', '/auth/forgot-password', { email }),
  () => show('sent'),
);

const { body } = await call('GET', '/auth/options');
if (body.passwordReset === 'admin') show('admin');
