"use strict";
// The public page of a draw recomputes everything that can be recomputed without anybody's data. One step after the other
// is shown; the first that fails is the verdict.

const SHA_K = new Int32Array(64);
const SHA_START = new Int32Array(8);
(function constants() {
  const fraction = (x) => ((x - Math.floor(x)) * 4294967296) | 0;
  for (let n = 2, found = 0; found < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
    if (!prime) continue;
    if (found < 8) SHA_START[found] = fraction(Math.sqrt(n));
    SHA_K[found++] = fraction(Math.cbrt(n));
  }
})();

const words = new Int32Array(64);

// One block of 64 bytes after `state`; `next` may be the same.
function compress(state, block, at, next) {
  for (let i = 0; i < 16; i++, at += 4)
    words[i] = (block[at] << 24) | (block[at + 1] << 16) | (block[at + 2] << 8) | block[at + 3];
  for (let i = 16; i < 64; i++) {
    const a = words[i - 15], b = words[i - 2];
    const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3);
    const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10);
    words[i] = (words[i - 16] + s0 + words[i - 7] + s1) | 0;
  }
  let a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + SHA_K[i] + words[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
  }
  next[0] = state[0] + a; next[1] = state[1] + b; next[2] = state[2] + c; next[3] = state[3] + d;
  next[4] = state[4] + e; next[5] = state[5] + f; next[6] = state[6] + g; next[7] = state[7] + h;
}

const toBytes = (text) => new TextEncoder().encode(text);
const toHex = (state) => Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");

// The last bytes of a message of `total` bytes with what SHA-256 puts behind them.
function padded(bytes, total) {
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64), view = new DataView(whole.buffer);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  view.setUint32(whole.length - 4, total * 8);
  view.setUint32(whole.length - 8, Math.floor(total / 536870912));
  return whole;
}

function sha256(text) {
  const bytes = toBytes(text), whole = padded(bytes, bytes.length), state = new Int32Array(SHA_START);
  for (let at = 0; at < whole.length; at += 64) compress(state, whole, at, state);
  return toHex(state);
}

// The browser's own, where it has one for pages from a file: it must agree.
async function browserSha256(text) {
  if (!(window.crypto && crypto.subtle)) return null;
  try {
    return Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", toBytes(text))),
      (byte) => byte.toString(16).padStart(2, "0")).join("");
  } catch (refused) { return null; }
}

// Whatever the spelling: numbers in rising order without leading zeros, or hexadecimal digits side by side.
function canonical(form, value) {
  const hex = form.startsWith("hex"), count = Number(form.split(":")[1] || 0);
  if (hex) {
    const digits = value.replace(/^0[xX]/, "").replace(/[\s,;:.\-/+|]/g, "").toLowerCase();
    return /^[0-9a-f]+$/.test(digits) && (!count || digits.length === count) ? digits : null;
  }
  if (!/^[\d\s,;:.\-/+|]+$/.test(value)) return null;
  const numbers = (value.match(/\d+/g) || []).map(BigInt).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return numbers.length > 0 && (!count || numbers.length === count) ? numbers.join(" ") : null;
}

const STANDS = 0, SEATED = 1, ALTERNATE = 2, DECLINED = 3, HOUSEHOLD = 4, NO_RANK = 5;
const WORDS = ["was not reached", "is selected", "is an alternate", "declined",
               "gives way: another of the same household has a better rank",
               "has no number: the rule never accepts its part, or it was in an earlier panel"];

function readTickets(text) {
  return text.split("\n").filter(Boolean).map((line) => {
    const [ticket, leaf, seat, since, round, household, type] = line.split(" ");
    return { ticket, leaf: +leaf, seat: +seat, since: +since, round: +round, household: +household, type: +type };
  });
}

// What the commitment leaves no room for: tickets in one order and once each, conditions that were not committed to,
// chances that are none.
function checkShape(tickets, data, wish, accept, problems) {
  const whole = (number, most) => Number.isInteger(number) && number >= 0 && number <= most;
  if (!data.quotas !== !wish.quotas) problems.push("quotas are used that were not committed to, or the other way round");
  const types = data.quotas ? data.quotas.types.length : 0;
  for (const [place, one] of tickets.entries()) {
    const ranked = one.leaf !== -1;
    const sound = /^[0-9a-f]{20}$/.test(one.ticket) && (place === 0 || tickets[place - 1].ticket < one.ticket) &&
      (ranked ? whole(one.leaf, accept.length - 1) && accept[one.leaf] > 0 && accept[one.leaf] <= 1 && whole(one.seat, HOUSEHOLD)
        : one.seat === NO_RANK) &&
      whole(one.since, data.rounds) && whole(one.round, data.rounds) && (one.household === -1 || (!!wish.one_per && one.household >= 0)) &&
      (ranked && data.quotas ? whole(one.type, types - 1) : one.type === -1);
    if (!sound && problems.length < 20) problems.push("the line of ticket " + one.ticket + " is not one that the commitment allows");
  }
}

// Draw and rank of every ticket. The key is one block of SHA-256, compressed once; name and ticket are another, in which
// only the ticket's digits change. The first 13 digits are 32 bits of the first word and 20 of the second.
function rankTickets(tickets, key, name, accept) {
  const start = new Int32Array(8), state = new Int32Array(8), rest = toBytes(name + ":" + "0".repeat(20) + ":0");
  const block = padded(rest, 64 + rest.length), place = name.length + 1;
  compress(SHA_START, toBytes(key), 0, start);
  for (const one of tickets) {
    if (one.leaf < 0) continue;
    for (let i = 0; i < 20; i++) block[place + i] = one.ticket.charCodeAt(i);
    compress(start, block, 0, state);
    one.draw = (state[0] >>> 0) * 1048576 + (state[1] >>> 12);
    one.rank = one.draw / accept[one.leaf];
  }
  const ranked = tickets.filter((one) => one.leaf >= 0)
    .sort((a, b) => a.rank - b.rank || (a.ticket < b.ticket ? -1 : 1));
  ranked.forEach((one, place) => { one.place = place + 1; });
  return ranked;
}

function pickComposition(probabilities, draw) {
  let sum = 0;
  for (let i = 0; i + 1 < probabilities.length; i++) {
    sum += probabilities[i];
    if (draw < Math.round(sum * 4503599627370496)) return i;
  }
  return probabilities.length - 1;
}

// The seats as they should be; a round of declines is taken from the page, everything else is worked out.
function giveSeats(ranked, data, wish, problems) {
  const households = new Set(), left = data.quotas ? data.quotas.seats.slice() : null;
  let free = wish.size;
  for (const one of ranked) {
    one.is = STANDS;
    one.from = 0;
    if (one.household >= 0 && households.has(one.household)) one.is = HOUSEHOLD;
    if (one.household >= 0) households.add(one.household);
    if (one.is !== STANDS) continue;
    if (left ? left[one.type] > 0 : free > 0) {
      one.is = SEATED;
      free--;
      if (left) left[one.type]--;
    }
  }
  if (free !== 0) problems.push("the composition does not fill all seats");
  for (let round = 1; round <= data.rounds; round++) replaceRound(ranked, round, data, wish, problems);
  let alternates = wish.alternates;
  for (const one of ranked) if (one.is === STANDS && alternates-- > 0) one.is = ALTERNATE;
}

// With quotas, who of those that stand keeps them is for an auditor to check; here nobody may overtake a person of the same
// type.
function replaceRound(ranked, round, data, wish, problems) {
  let free = 0;
  for (const one of ranked)
    if (one.seat === DECLINED && one.round === round) {
      free += one.is === SEATED;
      one.is = DECLINED;
    }
  const passed = new Set();
  for (const one of ranked) {
    if (one.is !== STANDS) continue;
    if (data.quotas ? one.since !== round : free === 0) { passed.add(one.type); continue; }
    if (data.quotas && passed.has(one.type)) problems.push("ticket " + one.ticket + " overtook another of its type");
    one.is = SEATED;
    one.from = round;
    free--;
  }
  if (free !== 0) problems.push("round " + round + " does not fill the seats that became free");
}

function compareSeats(ranked, data, wish, problems) {
  for (const one of ranked) {
    const same = one.is === one.seat && one.from === one.since;
    if (!same && problems.length < 20)
      problems.push("ticket " + one.ticket + " should be: " + WORDS[one.is] + "; the page says: " + WORDS[one.seat]);
  }
  for (const [index, quota] of (wish.quotas || []).entries()) {
    const seats = ranked.filter((one) => one.seat === SEATED && data.quotas.types[one.type].includes(index)).length;
    if (seats < quota.min || seats > quota.max)
      problems.push(quota.feature + ": " + quota.value + " has " + seats + " seats");
  }
}

// ---- what is shown ----

const at = (id) => document.getElementById(id);
const made = (kind, text, name) => Object.assign(document.createElement(kind), { textContent: text, className: name || "" });
const count = (number) => number.toLocaleString("en");
const several = (number, one, many) => count(number) + " " + (number === 1 ? one : many);

const steps = [];
function step(good, text, detail) {
  const item = made("li", text, good ? "good" : "bad");
  if (detail) item.append(made("small", detail));
  at("steps").append(item);
  steps.push({ good, text });
}

function fact(where, name, value) {
  at(where).append(made("dt", name), made("dd", value));
}

const quotaText = (quota) => quota.feature + ": " + quota.value;

function showCards(tickets, ranked, wish, data) {
  const card = (value, label) => { const box = made("div", "", "card"); box.append(made("b", value), made("span", label)); at("cards").append(box); };
  const are = (seat) => ranked.filter((one) => one.seat === seat).length;
  card(count(tickets.length), "people in the pool");
  card(count(are(SEATED)), "of " + several(wish.size, "seat", "seats") + " filled");
  card(count(are(ALTERNATE)), "alternates");
  card(count(are(DECLINED)), "declined, in " + several(data.rounds, "round", "rounds"));
}

function showFacts(wish, digest, data) {
  fact("compare", "published before the draw: the digest of the commitment", digest);
  if (wish.randomness) fact("compare", "published by somebody else: " + wish.randomness, data.randomness);
  const doubts = [];
  if (!wish.randomness) doubts.push("No public randomness was announced: whoever made the key could have tried others until they liked the draw.");
  if (wish.randomness && !wish.randomness_time) doubts.push("It was not announced when these numbers would be known: ask which of several dates was meant.");
  if (wish.randomness && !(wish.randomness_form || "").includes(":")) doubts.push("It was not announced how many numbers count: check that none was left out or added.");
  if (!wish.log) doubts.push("No log was kept: nobody can see how many draws were made.");
  at("foreseen").hidden = doubts.length === 0;
  at("foreseen").textContent = doubts.join(" ");
  fact("facts", "made on", wish.time);
  fact("facts", "rule", wish.model_digest);
  fact("facts", "pool", count(wish.records) + " records, " + wish.records_digest);
  fact("facts", "tickets", wish.tickets_digest);
  fact("facts", "id column", wish.id);
  fact("facts", "seats", count(wish.size) + " and " + several(wish.alternates, "alternate", "alternates"));
  if (wish.one_per) fact("facts", "one per", wish.one_per);
  for (const quota of wish.quotas || [])
    fact("facts", "quota", quotaText(quota) + ", " + quota.min + " to " + quota.max + " seats");
  if (wish.avoided_digest) fact("facts", "earlier panel left out", wish.avoided_digest);
  fact("facts", "source of randomness", wish.randomness || "none");
  if (wish.randomness) fact("facts", "form of its value", wish.randomness_form);
  if (wish.randomness_time) fact("facts", "known from", wish.randomness_time);
  fact("facts", "key of the ranks", data.ranking_key);
  fact("facts", "its digest", wish.ranking_commitment);
  fact("facts", "lines of the log before", wish.log ? count(wish.draws) : "no log");
}

function table(where, rows, wish, data) {
  if (!rows.length) return at(where).replaceChildren(made("div", "nobody", "empty"));
  const body = document.createElement("table"), head = document.createElement("thead"), lines = document.createElement("tbody");
  const line = (cells, kind) => {
    const row = document.createElement("tr");
    for (const cell of cells) row.append(made(kind, cell));
    return row;
  };
  const quotas = wish.quotas ? ["quotas"] : [], round = data.rounds ? ["round"] : [];
  head.append(line(["place", "ticket", "part", "number", "rank", ...quotas, ...round], "th"));
  for (const one of rows)
    lines.append(line([one.place, one.ticket, one.leaf, one.draw, one.rank.toExponential(6),
      ...quotas.map(() => data.quotas.types[one.type].map((index) => wish.quotas[index].value).join(", ")),
      ...round.map(() => one.round || one.since || "")], "td"));
  body.append(head, lines);
  at(where).replaceChildren(body);
}

// How one ticket came to its place, with every number that is needed to repeat it.
function explain(one, ranked, accept, wish, data) {
  const found = at("found");
  found.replaceChildren();
  if (!one) return found.append(made("b", "This ticket is not in the draw."), made("p", "Check that every letter and digit is right."));
  found.append(made("b", "This ticket " + WORDS[one.leaf < 0 ? NO_RANK : one.seat] + "."));
  if (one.leaf < 0) return undefined;
  if (one.since) found.append(made("p", "It got its seat in round " + one.since + ", when others declined."));
  if (one.round) found.append(made("p", "It declined in round " + one.round + ". If this is your ticket and you did not, tell everybody."));
  found.append(made("p", "Its number is " + one.draw + ", out of 4503599627370496. The rule accepts its part (" + one.leaf + ") with chance " +
    accept[one.leaf] + ", so its rank is " + one.rank.toExponential(6) + ": place " + count(one.place) + " of " + count(ranked.length) + "."));
  if (data.quotas)
    found.append(made("p", "Quotas: " + data.quotas.types[one.type].map((index) => quotaText(wish.quotas[index])).join(", ") + "."));
  return undefined;
}

function lookUp(tickets, ranked, accept, wish, data) {
  const known = new Map(tickets.map((one) => [one.ticket, one]));
  at("lookup").addEventListener("submit", (event) => {
    event.preventDefault();
    explain(known.get(at("ticket").value.replace(/[\s-]/g, "").toLowerCase()), ranked, accept, wish, data);
  });
}

// ---- the check ----

function readData() {
  const data = JSON.parse(at("data").textContent), wish = JSON.parse(data.commitment);
  wish.name = wish.drawn_by === "permanent" ? "permanent-number" : wish.model_id;
  if (data.quotas) {
    data.quotas.types = data.quotas.types.split("\n").map((line) => line.split(" ").map(Number));
    data.quotas.seats = data.quotas.seats.split(" ").map(Number);
    data.quotas.probabilities = data.quotas.probabilities.split(" ").map(Number);
  }
  return [data, wish];
}

async function checkSources(data, wish) {
  const digest = sha256(data.commitment), own = await browserSha256(data.commitment);
  step(digest === data.digest, "The commitment is whole: everything in it gives the digest above", digest);
  step(own === null || own === digest, own === null ? "Your browser has no SHA-256 of its own for this page; the page's is used"
    : "Your browser's own SHA-256 agrees with that of this page");
  const ranking = sha256(data.ranking_key);
  step(ranking === wish.ranking_commitment, "The key of the numbers is the one that was committed to", "SHA-256 of the key: " + ranking);
  const value = data.randomness === null ? null : canonical(wish.randomness_form || "numbers", data.randomness);
  const fits = !wish.randomness ? data.randomness === null : value !== null && value === data.randomness;
  step(fits, !wish.randomness ? "No public randomness was announced, and none was used"
    : "The public randomness has the form that was announced", wish.randomness ? wish.randomness + ": " + data.randomness : "");
  return value === null ? data.ranking_key : sha256(data.ranking_key + ":" + value);
}

async function checkTickets(tickets, key, data, wish, accept) {
  const problems = [];
  step(tickets.length === wish.records && sha256(tickets.map((one) => one.ticket + "\n").join("")) === wish.tickets_digest,
    "The tickets are those that were committed to: none more, none less", several(tickets.length, "ticket", "tickets"));
  checkShape(tickets, data, wish, accept, problems);
  step(problems.length === 0, "Every line of the page keeps to what was committed to", problems.join("; "));
  const ranked = rankTickets(tickets, key, wish.name, accept);
  let agree = true;
  for (const one of ranked.slice(0, 100)) {
    const text = key + wish.name + ":" + one.ticket + ":0", mine = sha256(text), theirs = await browserSha256(text);
    agree = agree && parseInt(mine.slice(0, 13), 16) === one.draw && (theirs === null || theirs === mine);
  }
  step(agree, "The number of every ticket was computed again from key and randomness",
    several(ranked.length, "number", "numbers") + "; the first 100 by your browser's own SHA-256 too");
  return ranked;
}

function checkSeats(ranked, key, data, wish) {
  const problems = [];
  if (data.quotas) {
    const draw = parseInt(sha256(key + wish.name + ":composition:0").slice(0, 13), 16), chances = data.quotas.probabilities;
    const sum = chances.reduce((before, one) => before + one, 0);
    const picked = pickComposition(chances, draw);
    step(picked === data.quotas.picked && chances.every((one) => one >= 0) && Math.abs(sum - 1) < 1e-9,
      "How many of each quota type are seated was drawn by lot too", "composition " + (picked + 1) + " of " + chances.length + ", number " + draw);
  }
  giveSeats(ranked, data, wish, problems);
  compareSeats(ranked, data, wish, problems);
  step(problems.length === 0, "Seats and alternates went by rank" + (wish.one_per ? ", one per household" : "") +
    (data.quotas ? ", with all quotas kept" : "") + (data.rounds ? ", after " + several(data.rounds, "round", "rounds") + " of declines" : ""),
    problems.join("; "));
}

function showPanel(tickets, ranked, key, accept, data, wish) {
  const are = (seat) => ranked.filter((one) => one.seat === seat), selected = are(SEATED);
  at("rule").textContent = "Each ticket has a number from the lottery. Divided by the chance with which the rule accepts people like its owner, " +
    "it is the rank; the lowest ranks have the seats" + (wish.one_per ? ", one per household" : "") + (data.quotas ? ", so many of each quota type" : "") + ".";
  if (data.quotas) at("typed").textContent = "With quotas each ticket also shows its values in the quota columns, which tell as much about a person as those columns do.";
  table("selected", selected, wish, data);
  table("alternates", are(ALTERNATE), wish, data);
  table("declined", are(DECLINED), wish, data);
  lookUp(tickets, ranked, accept, wish, data);
  if (selected.length)
    at("byhand").textContent = "printf %s " + key + wish.name + ":" + selected[0].ticket + ":0 | sha256sum | cut -c1-13\n" +
      selected[0].draw.toString(16).padStart(13, "0") + "   # " + selected[0].draw + " in decimal";
}

function conclude(good, text, more) {
  at("verdict").className = "verdict " + (good ? "good" : "bad");
  at("verdict").replaceChildren(text, made("small", more));
}

async function check() {
  const began = performance.now(), [data, wish] = readData();
  const tickets = readTickets(data.tickets), accept = data.accept.split(" ").map(Number);
  showFacts(wish, data.digest, data);
  const key = await checkSources(data, wish);
  const ranked = await checkTickets(tickets, key, data, wish, accept);
  checkSeats(ranked, key, data, wish);
  showCards(tickets, ranked, wish, data);
  showPanel(tickets, ranked, key, accept, data, wish);
  const failed = steps.filter((one) => !one.good);
  if (failed.length) conclude(false, "This draw does NOT check out.", "This is not so: " + failed[0].text + ".");
  else conclude(true, "The draw checks out.", "All " + steps.length + " steps below were recomputed just now, in your browser, and agree with what was committed to.");
  at("verdict").dataset.seconds = ((performance.now() - began) / 1000).toFixed(3);
}

check().catch((problem) => conclude(false, "This page was changed or is damaged.", problem.message));
