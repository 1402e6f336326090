// The conductor: state in, the room of the address out. Choices are kept in the folder as they are made.
import * as server from './server.js';
import { announce, el } from './dom.js';
import { room as data } from './room_data.js';
import { room as tradeoff } from './room_tradeoff.js';
import { room as check } from './room_check.js';
import { room as draw } from './room_draw.js';
import { room as publish } from './room_publish.js';

const ROOMS = { data, tradeoff, check, draw, publish };
const TITLES = { data: 'Data', tradeoff: 'Trade-off', check: 'Check', draw: 'Draw', publish: 'Publish' };
const SAVE_AFTER_MS = 250;

// Names that the commands write under, unless others were chosen.
const NAMES = {
  model: 'panel.model', learn_report: 'rule.html', certificate: 'panel.certificate', audit_report: 'check.html',
  key: 'draw.key', log: 'draws.log', commitment: 'commitment.json', selected: 'panel.csv',
  alternates_file: 'alternates.csv', page: 'draw.html', tickets: 'tickets.csv',
};

const app = {
  choices: {}, revision: 0, results: {}, lines: {}, asked: {}, refusals: {}, wanted: {}, done: {}, columns: {}, files: [], job: null,
  ended: false, pointer: false, deferred: false,

  // All that a command may take: what was chosen over what is usual.
  all() { return { ...NAMES, ...this.choices }; },
  has(name) { return this.files.some(file => file.name === name); },
  busy() { return this.starting || this.job?.state === 'running'; },

  choose(changes) {
    Object.assign(this.choices, changes);
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.save(), SAVE_AFTER_MS);
    this.render();
  },

  // Letter by letter: the room is drawn again when the hands rest.
  type(changes) {
    Object.assign(this.choices, changes);
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.flush(), SAVE_AFTER_MS);
  },

  flush() {
    if (!this.typing) return;
    clearTimeout(this.typing);
    this.typing = null;
    this.choose({});
  },

  // One at a time, in the order of the choices.
  save() {
    clearTimeout(this.saving);
    this.saving = null;
    this.saved = (this.saved ?? Promise.resolve()).then(() => this.saveNow());
    return this.saved;
  },

  async saveNow() {
    try {
      this.revision = (await server.saveProject(this.revision, this.choices)).revision;
    } catch (refusal) {
      if (refusal.status === 409) await this.reload('Another tab has changed the project; this is what it says now.');
      else this.complain(refusal);
    }
  },

  // What an action found, when it is what the command as chosen now would find.
  current(action) {
    const found = this.results[action];
    return found && found.fresh && found.command === this.lines[action] ? found : null;
  },

  // The command line of the choices; the room is drawn again when it has changed.
  async askLine(action, choices) {
    const key = JSON.stringify([choices, this.files.map(file => file.name), this.job?.id]);
    if (this.asked[action] === key) return;
    this.asked[action] = key;
    let line = '', refusal = null;
    try {
      const answer = await server.command(action, choices);
      if (answer.command) line = answer.command; else refusal = answer;
    } catch (error) {
      refusal = error;
    }
    if (this.asked[action] !== key) return;
    const same = this.lines[action] === line && this.refusals[action]?.message === refusal?.message;
    this.lines[action] = line;
    this.refusals[action] = refusal;
    if (!same) this.render();
  },

  // Runs what the room wants now: also what was typed a moment ago.
  async run(action) {
    if (this.busy()) return;
    this.starting = true;
    this.flush();
    try {
      if (this.saving) await this.save();
      const job = await server.run(action, this.wanted[action]);
      this.starting = false;
      this.hear({ job });
    } catch (refusal) {
      this.starting = false;
      this.refusals[action] = refusal;
      this.render();
    }
  },

  cancel() { server.cancel().catch(refusal => this.complain(refusal)); },

  // The names of a file's columns, once they are known.
  columnsOf(name) {
    const size = this.files.find(file => file.name === name)?.size;
    const key = `${name}:${size}`;
    if (name && !(key in this.columns)) {
      this.columns[key] = [];
      server.columns(name).then(found => { this.columns[key] = found; }, refusal => { this.columns[key] = refusal; })
        .then(() => this.render());
    }
    return Array.isArray(this.columns[key]) ? this.columns[key] : [];
  },

  async bring(name, content) {
    await server.bring(name, content);
    this.files = (await server.state()).files;
  },

  async finish(job) {
    const found = job.state === 'done' ? await server.result(job.action) : null;
    if (found) this.results[job.action] = found;
    announce(job.state === 'done' ? 'done' : `${job.state}: ${job.message}`);
    this.files = (await server.state()).files;
    if (job.state === 'done') this.done[job.action]?.();
    this.render();
  },

  // An event: the job moves, files come and go, another tab chooses.
  hear(event) {
    // Answers and events come by different ways: no job yet, an older one, or one as it was before its end, is no news.
    const before = this.job, job = event.job;
    if (job && (!before || job.id > before.id || job.id === before.id && before.state === 'running')) this.job = job;
    if (event.files) this.files = event.files;
    const changed = before?.id !== this.job?.id || before?.state !== this.job?.state;
    if (changed && this.job && this.job.state !== 'running') this.finish(this.job);
    else if (changed) this.render();
    else if (this.busy()) this.showProgress();
    if (event.revision > this.revision && !this.saving && !this.typing) this.saved = (this.saved ?? Promise.resolve())
      .then(() => event.revision > this.revision && this.reload());
  },

  showProgress() {
    for (const bar of document.querySelectorAll('progress')) if (this.job.done > 0) bar.value = this.job.done;
    for (const stage of document.querySelectorAll('.stage')) stage.textContent = this.job.stage;
  },

  async reload(words) {
    const found = await server.state();
    this.revision = found.project.revision;
    this.choices = found.project.choices;
    this.files = found.files;
    if (words) announce(words);
    this.render();
  },

  complain(refusal) {
    this.complaint = refusal;
    this.render();
  },

  room() {
    const name = location.hash.slice(1);
    return name in ROOMS ? name : 'data';
  },

  // What is done shows a tick; nothing is locked, because looking ahead does no harm.
  marks() {
    return {
      data: this.choices.labelled && this.choices.sensitive?.length > 0, tradeoff: this.has(this.all().model) && this.results.learn,
      check: this.results.audit?.fresh && this.results.audit.document?.disclosure?.measured <= this.results.audit.document.budget, draw: this.results.select?.fresh,
      publish: this.results.publish?.fresh,
    };
  },

  // Not while a button is held down, which would take it away from under the pointer or the key.
  render() {
    this.deferred = this.pointer;
    if (this.pointer) return;
    const name = this.room(), place = document.getElementById('room'), marks = this.marks();
    for (const link of document.querySelectorAll('#rooms a')) {
      const target = link.hash.slice(1);
      link.classList.toggle('done', Boolean(marks[target]));
      link.querySelector('.unseen').textContent = marks[target] ? ', done' : '';
      if (target === name) link.setAttribute('aria-current', 'step'); else link.removeAttribute('aria-current');
    }
    document.title = `${TITLES[name]} · equipoise`;
    const lost = this.ended && el('p', { class: 'error', role: 'alert' }, 'The program has ended. Start "equipoise ui" again for a new link.');
    const wrong = this.complaint && el('p', { class: 'error', role: 'alert' }, `${this.complaint.message}. ${this.complaint.hint}`);
    const back = keepPlace();
    place.replaceChildren(...[lost, wrong].filter(Boolean), ...ROOMS[name](this).filter(Boolean));
    back();
  },
};

// A control in use stays the one it is: letters typed at it, the caret and the list position are its own.
function reuse(old, fresh) {
  const same = old.matches('select,input[type=text],input[type=number],textarea') && fresh.tagName === old.tagName &&
    [...old.options ?? []].map(option => option.value).join('\n') === [...fresh.options ?? []].map(option => option.value).join('\n');
  if (!same) return fresh;
  if (!app.typing && !('unsettled' in old.dataset) && old.value !== fresh.value) old.value = fresh.value;
  fresh.replaceWith(old);
  return old;
}

// Where the focus, the caret and the lists stand, to be put back when the room is drawn again.
function keepPlace() {
  const focused = document.activeElement, id = focused?.id;
  const caret = focused?.matches?.('input[type=text],textarea') ? [focused.selectionStart, focused.selectionEnd] : null;
  const scrolled = [...document.querySelectorAll('.scroll[id]')].map(list => [list.id, list.scrollTop, list.scrollLeft]);
  return () => {
    const fresh = id ? document.getElementById(id) : null, again = fresh && fresh !== focused ? reuse(focused, fresh) : null;
    if (again && again !== document.activeElement) again.focus({ preventScroll: true });
    if (again && caret) again.setSelectionRange(...caret);
    for (const [list, top, left] of scrolled) document.getElementById(list)?.scrollTo(left, top);
  };
}

function watchPointer() {
  addEventListener('pointerdown', () => { app.pointer = true; });
  addEventListener('keydown', event => { // a key that acts when it is let go
    if (event.key === ' ' && event.target.matches?.('button,input[type=checkbox],input[type=radio],summary')) app.pointer = true;
  });
  for (const end of ['keyup', 'pointerup', 'pointercancel', 'dragend', 'drop', 'blur']) addEventListener(end, () => setTimeout(() => {
    app.pointer = false;
    if (app.deferred) app.render();
  }));
}

function chooseTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme:dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
}

async function start() {
  watchPointer();
  document.getElementById('theme').addEventListener('click', chooseTheme);
  document.getElementById('quit').addEventListener('click', () => server.quit().finally(() => { app.ended = true; app.render(); }));
  const found = await server.state();
  if (found.message) return app.complain(found);
  document.getElementById('folder').textContent = found.folder;
  Object.assign(app, { choices: found.project.choices, revision: found.project.revision, files: found.files, job: found.job,
    dialects: found.dialects });
  await Promise.all(found.results.map(async action => { app.results[action] = await server.result(action); }));
  addEventListener('hashchange', () => { app.complaint = null; app.render(); scrollTo(0, 0); document.getElementById('room').focus(); });
  server.listen(event => app.hear(event), closed => { if (closed) { app.ended = true; app.render(); } });
  app.render();
}

start().catch(refusal => app.complain(refusal));
