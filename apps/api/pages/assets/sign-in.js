import { call } from './api.js';
import { byId, onSubmit, show } from './forms.js';

/** Whether this browser has signed in before, so that a first visit asks the API nothing it would refuse. */
const VISITED = 'svc-signed-in';

onSubmit(
  byId('sign-in-form'),
  ({ email, password }) => call('POST', '/auth/login', { email, password }),
  () => {
    localStorage.setItem(VISITED, 'yes');
    void welcome();
  },
);

onSubmit(
  byId('change-form'),
  ({ oldPassword, newPassword }) => call('POST', '/auth/change-password', { oldPassword, newPassword }),
  () => {
    byId('done').textContent = 'Your password is changed.';
    byId('done').hidden = false;
    void welcome();
  },
);

byId('sign-out').addEventListener('click', async () => {
  await call('POST', '/auth/logout');
  localStorage.removeItem(VISITED);
  byId('done').hidden = true;
  show('sign-in');
});

byId('to-change').addEventListener('click', () => show('change'));
byId('not-now').addEventListener('click', () => show('signed-in'));

/** A password that somebody else chose comes first; then the person. */
async function welcome() {
  const { status, body } = await call('GET', '/auth/me');
  if (status !== 200) {
    if (status === 401) localStorage.removeItem(VISITED);
    return;
  }
  byId('who').textContent = body.name ? `${body.name} (${body.email})` : body.email;
  byId('role').textContent = body.role;
  byId('sign-out').hidden = body.authDisabled;
  byId('change-form').elements.email.value = body.email;
  byId('change-why').hidden = !body.passwordChangeRequired;
  byId('not-now').hidden = body.passwordChangeRequired;
  show(body.passwordChangeRequired ? 'change' : 'signed-in');
}

async function begin() {
  const { body } = await call('GET', '/auth/options');
  byId('off').hidden = !body.authDisabled;
  const forgot = byId('forgot');
  if (body.passwordReset === 'email') {
    const link = document.createElement('a');
    link.href = '/svc/forgot-password';
    link.textContent = 'Forgot your password?';
    forgot.append(link);
  } else {
    forgot.textContent = 'Forgot your password? Ask an administrator of the lab for a reset link.';
  }
  forgot.hidden = false;
  if (body.authDisabled || localStorage.getItem(VISITED) !== null) await welcome();
}

void begin();
