// Elements and numbers. Texts are set as text, never as markup.
const SVG = 'http://www.w3.org/2000/svg';

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'disabled') node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(9).filter(child => child !== null && child !== undefined && child !== false));
  return node;
}

export const el = (name, attributes, ...children) => build(document.createElement(name), attributes, children);
export const svg = (name, attributes, ...children) => build(document.createElementNS(SVG, name), attributes, children);

export const percent = (share, digits = 1) =>
  share === null || share === undefined ? '–' : `${(100 * share).toFixed(digits)}\u00a0%`;
export const number = (value, digits = 3) => value === null || value === undefined ? '–' : value.toFixed(digits);
export const count = value => value === null || value === undefined ? '–' : Math.round(value).toLocaleString('en');
export const plural = (value, word) => `${count(value)} ${word}${Math.round(value) === 1 ? '' : 's'}`;

// Read aloud by a screen reader, seen by nobody.
export function announce(text) {
  document.getElementById('announcer').textContent = text;
}

export const card = (...children) => el('section', { class: 'card' }, children);

// A number, and beside it what it is to be compared with.
export const fact = (label, value, ...beside) => el('div', { class: 'card fact' },
  el('div', { class: 'label' }, label), el('div', { class: 'value' }, value),
  beside.map(line => el('div', { class: 'beside' }, line)));

export function field(id, label, control, help) {
  control.id = id;
  if (help) control.setAttribute('aria-describedby', `${id}-help`);
  return el('div', { class: 'field' }, el('label', { for: id }, label), control,
    help && el('p', { class: 'quiet', id: `${id}-help` }, help));
}

const TYPING_MS = 700;

// By pointer a choice counts at once; by key when the hands rest or go on, so that the first letters find an entry.
export function select(options, chosen, choose, empty) {
  let waiting = null, keys = false;
  const settle = () => {
    if (!waiting) return;
    clearTimeout(waiting);
    waiting = null;
    delete list.dataset.unsettled;
    choose(list.value);
  };
  const list = el('select', { onkeydown: () => { keys = true; }, onpointerdown: () => { keys = false; }, onblur: settle,
    onchange: () => {
      clearTimeout(waiting);
      list.dataset.unsettled = '';
      waiting = setTimeout(settle, keys ? TYPING_MS : 0);
    } },
    empty !== undefined && el('option', { value: '' }, empty),
    options.map(option => {
      const [value, words] = Array.isArray(option) ? option : [option, option];
      return el('option', { value, selected: value === chosen }, words);
    }));
  return list;
}

const opened = new Set();

// What few people need; stays open when the room is drawn again.
export const more = (id, words, ...children) => el('details', { open: opened.has(id), ontoggle: event =>
  event.target.open ? opened.add(id) : opened.delete(id) }, el('summary', { id }, words), children);

export const next = (room, words) => el('div', { class: 'next' },
  el('button', { type: 'button', class: 'main', id: 'next', onclick: () => { location.hash = room; } }, words));

// Files that hold records, as far as their names tell.
export const tables = files => files.map(file => file.name).filter(name => /\.(csv|tsv|txt)(\.gz|\.zst)?$/i.test(name));
