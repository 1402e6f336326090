// What the page asks of the program. A refusal is an Error with the program's own words.
export class Refusal extends Error {
  constructor(status, answer) {
    super(answer.message ?? 'the program did not answer');
    this.status = status;
    this.hint = answer.hint ?? '';
  }
}

async function ask(method, path, body) {
  const options = { method, headers: {} };
  if (body instanceof Blob) options.body = body;
  else if (body !== undefined) options.body = JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refusal(0, { message: 'the program has ended', hint: 'start "equipoise ui" again' });
  }
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, found);
  return found;
}

export const state = () => ask('GET', '/api/state');
export const result = action => ask('GET', `/api/results/${action}`).catch(refusal => {
  if (refusal.status === 404) return null;
  throw refusal;
});
export const columns = name => ask('GET', `/api/columns/${encodeURIComponent(name)}`);
export const saveProject = (revision, choices) => ask('PUT', '/api/project', { revision, choices });
export const bring = (name, content) => ask('PUT', `/api/files/${encodeURIComponent(name)}`, content);
export const command = (action, choices) => ask('POST', '/api/command', { action, choices });
export const run = (action, choices) => ask('POST', '/api/run', { action, choices });
export const cancel = () => ask('POST', '/api/cancel', {});
export const quit = () => ask('POST', '/api/quit', {});

// Calls back with what moves: the job, the files, the revision of the project.
export function listen(heard, lost) {
  const events = new EventSource('/api/events');
  events.onmessage = event => heard(JSON.parse(event.data));
  events.onerror = () => lost(events.readyState === EventSource.CLOSED);
}
