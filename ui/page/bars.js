// Pictures that move with a dial, in the lines and colours of the reports' figures.
import { number, percent, svg, el } from './dom.js';

const BAR_WIDTH = 400;

function bar(group, after) {
  const x = share => BAR_WIDTH * Math.min(1, Math.max(0, share));
  return svg('svg', { viewBox: `0 0 ${BAR_WIDTH} 24`, role: 'img', preserveAspectRatio: 'none',
    'aria-label': `${group.value}: now ${percent(group.base_rate)}, in the cohort ${percent(after)}, target ${percent(group.target)}` },
    svg('rect', { x: 0, y: 0, width: BAR_WIDTH, height: 24, class: 'shade' }),
    svg('rect', { x: 0, y: 2, width: x(group.base_rate), height: 7, class: 'bar s6' }),
    after !== null && svg('rect', { x: 0, y: 11, width: x(after), height: 11, class: 'bar s0' }),
    svg('rect', { x: x(group.target) - 1, y: 0, width: 2, height: 24, class: 'bar ink' }));
}

// Every group: share now -> in the cohort, with its error, and the target.
export function groupBars(groups, after, errors) {
  return el('div', {},
    el('ul', { class: 'bars' }, groups.map((group, i) => el('li', {},
      el('div', { class: 'who' }, el('span', {}, group.value),
        el('span', {}, `${percent(group.base_rate)} → `, el('strong', {}, percent(after[i] ?? null)),
          errors?.[i] ? ` ± ${(100 * errors[i]).toFixed(1)}` : '')),
      bar(group, after[i] ?? null)))),
    el('div', { class: 'legend' }, el('span', {}, el('span', { class: 'key' }), 'now'),
      el('span', {}, el('span', { class: 'key after' }), 'in the cohort, unseen people'),
      el('span', {}, el('span', { class: 'key aim' }), 'target')));
}

// Imbalance against the budget at one yield: what is reached, what no rule can beat, where the dial stands.
export function curve(limits, all, chosen, pick) {
  const points = all.filter(point => point.cross_validated.imbalance !== null); // the others are withheld
  const width = Math.max(280, Math.min(560, document.documentElement.clientWidth - 90)), height = 240;
  const left = 46, right = 12, top = 28, bottom = 42, inner = width - left - right, tall = height - top - bottom;
  const most = Math.max(0.1, ...limits.map(point => point.imbalance), ...points.map(point => point.cross_validated.imbalance));
  const x = budget => left + inner * budget, y = imbalance => top + tall * (1 - imbalance / most);
  const path = list => list.map(([a, b], i) => `${i ? 'L' : 'M'}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join('');
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `Imbalance against the budget at this yield. At a budget of ${number(chosen.max_disclosure, 2)} the imbalance is ` +
      `${number(chosen.cross_validated.imbalance)}; no rule can beat ${number(chosen.at_yield ?? chosen.limit)}.` },
    ticks.map(tick => [
      svg('line', { x1: left, x2: width - right, y1: y(tick * most), y2: y(tick * most), class: 'grid' }),
      svg('text', { x: left - 8, y: y(tick * most) + 4, 'text-anchor': 'end' }, (tick * most).toFixed(2)),
      svg('text', { x: x(tick), y: height - bottom + 18, 'text-anchor': 'middle' }, String(tick))]),
    svg('text', { x: left + inner / 2, y: height - 6, 'text-anchor': 'middle' }, 'budget of disclosure'),
    svg('text', { x: 0, y: 12, class: 'n' }, 'imbalance'),
    svg('path', { d: path(limits.map(point => [point.max_disclosure, point.imbalance])), class: 'l d ink' }),
    svg('path', { d: path(points.map(point => [point.max_disclosure, point.cross_validated.imbalance])), class: 'l s0' }),
    points.map(point => svg('circle', { cx: x(point.max_disclosure), cy: y(point.cross_validated.imbalance), r: 4, class: 'm s0' })),
    points.includes(chosen) && svg('circle', { cx: x(chosen.max_disclosure), cy: y(chosen.cross_validated.imbalance), r: 8, class: 'ring' }),
    points.map(point => svg('circle', { cx: x(point.max_disclosure), cy: y(point.cross_validated.imbalance), r: 14, class: 'hit',
      onclick: () => pick(point.max_disclosure) })));
}
