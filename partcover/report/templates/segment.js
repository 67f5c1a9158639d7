// The segmentation rules of partcover.segment, with the same ties.
// A word is an array of one-character strings, a vocabulary is what `prepare` returns.
"use strict";

function prepare(vocabulary) {
  const bytes = vocabulary.rule === "character_merges" && vocabulary.symbols === "bytes";
  const known = ([text]) => !bytes || text.match(CHARACTER).every((part) => !NO_CHARACTER.test(part));
  const rank = new Map(vocabulary.tokens.map((token, i) => [token, i]).filter(known));
  const pairs = (vocabulary.merges || []).map(([a, b], i) => [a + "\u{10FFFF}" + b, i]);
  const scores = [...(vocabulary.scores || []), ...Object.values(vocabulary.symbol_scores || {})];
  return {
    ...vocabulary,
    rank,
    longest: vocabulary.tokens.reduce((n, token) => Math.max(n, Array.from(token).length), 1),
    pairs: vocabulary.merges && new Map(pairs.filter(known)),
    unknown: scores.reduce((a, b) => Math.min(a, b), Infinity) - 10,
    split: vocabulary.within && pretokenizer(vocabulary.within.rule),
  };
}

// the path with the smallest sum of worth(piece, rank or -1); ties go to the earliest start
function bestPath(word, vocabulary, worth, rounded = (total) => total) {
  const best = [0, ...word.map(() => Infinity)];
  const back = [0];
  for (let end = 1; end <= word.length; end++) {
    for (let start = Math.max(0, end - vocabulary.longest); start < end; start++) {
      const piece = word.slice(start, end).join("");
      const rank = vocabulary.rank.get(piece);
      if (rank === undefined && end - start > 1) continue;
      const total = rounded(best[start] + worth(piece, end - start > 1 ? rank : -1));
      if (total < best[end]) [best[end], back[end]] = [total, start];
    }
  }
  const pieces = [];
  for (let end = word.length; end; end = back[end]) pieces.unshift(word.slice(back[end], end).join(""));
  return pieces;
}

function priority(word, vocabulary) {
  const places = [];
  for (let start = 0; start < word.length; start++)
    for (let end = start + 2; end <= Math.min(word.length, start + vocabulary.longest); end++) {
      const rank = vocabulary.rank.get(word.slice(start, end).join(""));
      if (rank !== undefined) places.push([rank, start, end]);
    }
  places.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const inside = word.map(() => false); // the pair after symbol i is inside a token
  for (const [, start, end] of places) {
    if ((start && inside[start - 1]) || inside[end - 1]) continue;
    inside.fill(true, start, end - 1);
  }
  const pieces = [""];
  word.forEach((symbol, i) => {
    pieces[pieces.length - 1] += symbol;
    if (!inside[i]) pieces.push("");
  });
  return pieces.slice(0, -1);
}

function longestMatch(word, vocabulary) {
  const pieces = [];
  for (let start = 0; start < word.length; ) {
    let size = Math.min(vocabulary.longest, word.length - start);
    while (size > 1 && !vocabulary.rank.has(word.slice(start, start + size).join(""))) size--;
    pieces.push(word.slice(start, start + size).join(""));
    start += size;
  }
  return pieces;
}

function merges(word, vocabulary) {
  const whole = word.join("");
  return !vocabulary.pairs && vocabulary.rank.has(whole) ? [whole] : merged(word, vocabulary);
}

// merges within the words of a phrase, then merges of neighboring words that are one piece each
function superwordMerges(phrase, vocabulary) {
  const pieces = [];
  let row = [];
  for (const word of [...wordsWithin(phrase, vocabulary), []]) {
    const made = merges(word, vocabulary);
    if (made.length === 1 && word.length) {
      row.push(made[0]);
      continue;
    }
    pieces.push(...merged(row, vocabulary), ...(word.length ? made : []));
    row = [];
  }
  return pieces;
}

function wordsWithin(phrase, { split, within, symbols }) {
  const bytes = symbols === "bytes";
  let text = phrase.join("");
  if (within && Object.hasOwn(within.sizes, text)) {
    let at = 0;
    return within.sizes[text].map((size) => phrase.slice(at, (at += size)));
  }
  if (!split) return [phrase];
  if (bytes)
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
        .decode(Uint8Array.from(phrase, (byte) => byte.charCodeAt(0)));
    } catch {
      return [phrase]; // not valid text, which is never joined
    }
  const write = (word) => bytes
    ? Array.from(new TextEncoder().encode(word), (byte) => String.fromCharCode(byte))
    : Array.from(word);
  return split(text.replaceAll(within.mark, " ")).map(write);
}

function characterMerges(word, vocabulary) {
  if (vocabulary.symbols !== "bytes") return merged(word, vocabulary);
  const pieces = merged(word.join("").match(CHARACTER), vocabulary);
  return pieces.flatMap((piece) => (vocabulary.rank.has(piece) ? [piece] : [...piece]));
}

// the pieces of a string of bytes: one UTF-8 character each, or a single byte
const CHARACTER = new RegExp(
  [
    "[\\xc2-\\xdf][\\x80-\\xbf]", "\\xe0[\\xa0-\\xbf][\\x80-\\xbf]", "\\xed[\\x80-\\x9f][\\x80-\\xbf]",
    "[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]{2}", "\\xf0[\\x90-\\xbf][\\x80-\\xbf]{2}",
    "[\\xf1-\\xf3][\\x80-\\xbf]{3}", "\\xf4[\\x80-\\x8f][\\x80-\\xbf]{2}", "[^]",
  ].join("|"), "g");
const NO_CHARACTER = /^[\x80-\xff]$/;

function merged(word, vocabulary) {
  const { rank, pairs } = vocabulary;
  const of = pairs ? (a, b) => pairs.get(a + "\u{10FFFF}" + b) : (a, b) => rank.get(a + b);
  const pieces = [...word];
  for (;;) {
    let first = Infinity, at = -1;
    for (let i = 0; i + 1 < pieces.length; i++) {
      const found = of(pieces[i], pieces[i + 1]);
      if (found < first) [first, at] = [found, i];
    }
    if (at < 0) return pieces;
    pieces.splice(at, 2, pieces[at] + pieces[at + 1]);
  }
}

function cut(word, vocabulary) {
  switch (vocabulary.rule) {
    case "priority": return priority(word, vocabulary);
    case "longest_match": return longestMatch(word, vocabulary);
    case "merges": return merges(word, vocabulary);
    case "superword_merges": return superwordMerges(word, vocabulary);
    case "character_merges": return characterMerges(word, vocabulary);
    case "single_symbols": return [...word];
    case "likelihood":
      return bestPath(word, vocabulary, (piece, rank) =>
        -(rank >= 0 ? vocabulary.scores[rank] : vocabulary.symbol_scores[piece] ?? vocabulary.unknown),
        vocabulary.narrow ? Math.fround : undefined);
    default: return bestPath(word, vocabulary, () => 1); // random_path: one of the shortest
  }
}

if (typeof module !== "undefined") module.exports = { ...module.exports, prepare, cut };
