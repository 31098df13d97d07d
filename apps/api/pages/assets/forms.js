import { sentence } from './api.js';

export const byId = (id) => document.getElementById(id);

/** Shows one section of the page and moves the focus to it, so that a screen reader reads on there. */
export function show(id) {
  for (const section of document.querySelectorAll('main > section')) section.hidden = section.id !== id;
  const target = byId(id).querySelector('input:not([hidden]), h1');
  target?.focus();
}

/**
 * Runs `send` with the form's values when it is submitted. `send` gives an answer of the API; one that is no success
 * is told beside the form, everything else is for `done`.
 */
export function onSubmit(form, send, done) {
  const problem = form.querySelector('.problem');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const submit = form.querySelector('[type=submit]');
    submit.disabled = true;
    problem.hidden = true;
    const answer = await send(Object.fromEntries(new FormData(form)));
    submit.disabled = false;
    if (answer.status >= 200 && answer.status < 300) {
      form.reset();
      done(answer);
      return;
    }
    problem.textContent = sentence(answer);
    problem.hidden = false;
    (form.querySelector('.secret input') ?? form.querySelector('input')).focus();
  });
}

for (const button of document.querySelectorAll('.reveal')) {
  button.addEventListener('click', () => {
    const input = byId(button.getAttribute('aria-controls'));
    const shown = input.type === 'password';
    input.type = shown ? 'text' : 'password';
    button.textContent = shown ? 'Hide' : 'Show';
    button.setAttribute('aria-pressed', String(shown));
  });
}
