// The command that does the same as a room: shown, copied, run, cancelled. What is shown is what is run.
import { announce, el } from './dom.js';

async function copy(text) {
  await navigator.clipboard.writeText(text);
  announce('copied');
}

// A line may break anywhere but within the name of an option.
const words = line => line.split(/(--[a-z-]+)/).map(part => part.startsWith('--') ? el('span', { class: 'option' }, part) : part);

const running = app => [
  el('progress', { max: 1, 'aria-label': 'progress', ...(app.job.done > 0 ? { value: app.job.done } : {}) }),
  el('span', { class: 'stage quiet small' }, app.job.stage),
  el('button', { type: 'button', id: 'cancel', onclick: () => app.cancel() }, 'Cancel'),
];

function outcome(app, action, line) {
  const job = app.job?.action === action && app.job.command === line ? app.job : null;
  if (job?.state === 'failed')
    return el('div', { class: 'error', role: 'alert' }, el('div', {}, job.message), job.hint && el('div', { class: 'quiet' }, job.hint));
  if (job?.state === 'cancelled') return el('p', { class: 'quiet small' }, 'Cancelled; nothing was written.');
  return null;
}

// `auto` runs it unasked when what it found is not that of today's choices; only for what writes no file.
// `again`: it may be run once more; `done` is called when it went well.
export function commandBox(app, { action, choices, label, auto = false, again = true, main = true, done }) {
  app.wanted[action] = choices;
  app.done[action] = done;
  app.askLine(action, choices);
  const line = app.lines[action], refusal = app.refusals[action], current = app.current(action);
  const mine = app.job?.state === 'running' && app.job.action === action;
  const tried = app.job?.action === action && app.job.command === line && app.job.state !== 'done';
  if (auto && line && !current && !app.busy() && !tried) queueMicrotask(() => { if (!app.busy()) app.run(action); });
  const button = label && !auto && (again || !current) && el('button', {
    type: 'button', id: `run-${action}`, class: main && !current ? 'main' : null, disabled: !line || app.busy(),
    onclick: () => app.run(action) }, label);
  return el('div', { class: 'command' },
    el('p', { class: 'title' }, refusal ? 'The command that does the same, once all is chosen' : 'The command that does the same'),
    line && el('div', { class: 'line' }, el('pre', { tabindex: 0, 'aria-label': `command of ${action}` }, el('code', {}, words(line))),
      el('button', { type: 'button', class: 'copy', id: `copy-${action}`, 'aria-label': `Copy the command of ${action}`,
        onclick: () => copy(line) }, 'Copy')),
    refusal && el('p', { class: 'quiet small' }, refusal.message),
    (mine || button) && el('div', { class: 'actions' }, mine ? running(app) : button),
    outcome(app, action, line));
}
