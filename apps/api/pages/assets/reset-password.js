import { call, sentence } from './api.js';
import { byId, onSubmit, show } from './forms.js';

// The token stays in this page's memory only: not in the address bar, the history or a bookmark.
const token = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
// The same page opened with another link only changes the fragment.
addEventListener('hashchange', () => location.reload());

onSubmit(
  byId('reset-form'),
  ({ newPassword }) => send('/auth/reset-password', { token, newPassword }),
  () => show('done'),
);

async function send(path, json) {
  const answer = await call('POST', path, json);
  if (answer.status === 404) show('invalid');
  return answer;
}

if (token === '') show('invalid');
else {
  const answer = await send('/auth/reset-password/check', { token });
  if (answer.status === 200) show('reset');
  else if (answer.status !== 404) byId('checking-status').textContent = sentence(answer);
}
