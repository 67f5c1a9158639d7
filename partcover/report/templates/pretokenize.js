// The pre-tokenizers of partcover.corpus.pretokenizers.pretokenizer: text to words.
"use strict";

const PRETOKENIZERS = (() => {
  // \s of Python's regex is Unicode's white space, that of JavaScript is not
  const S = "\\p{White_Space}";
  // (?i:'s|'t|…): the long s is an s, too
  const ENDING = "'(?:[sSſtTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])";
  const WHITE = `${S}+(?!\\P{White_Space})|${S}+`;
  const UPPER = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]";
  const LOWER = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]";
  const FRONT = "[^\\r\\n\\p{L}\\p{N}]?";
  const all = (pattern) => {
    const compiled = new RegExp(pattern, "gu");
    return (text) => text.match(compiled) ?? [];
  };
  // matches and what is between them
  const isolated = (pattern) => {
    const compiled = new RegExp(`(${pattern})`, "gu");
    return (text) => text.split(compiled).filter(Boolean);
  };
  const cl100k = (digits) => all(
    `${ENDING}|${FRONT}\\p{L}+|${digits}| ?[^${S}\\p{L}\\p{N}]+[\\r\\n]*|${S}*[\\r\\n]+|${WHITE}`);
  const cased = (ending, digits) => all(
    `${FRONT}${UPPER}*${LOWER}+${ending}|${FRONT}${UPPER}+${LOWER}*${ending}|` +
    `${digits}| ?[^${S}\\p{L}\\p{N}]+[\\r\\n/]*|${S}*[\\r\\n]+|${WHITE}`);
  return {
    "first-space": all(" [^ ]*|[^ ]+"),
    space: all(" |[^ ]+"),
    digit: all("\\p{Nd}|\\P{Nd}+"),
    gpt2: all(`'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^${S}\\p{L}\\p{N}]+|${WHITE}`),
    cl100k: cl100k("\\p{N}{1,3}"),
    qwen2: cl100k("\\p{N}"),
    o200k: cased(`(?:${ENDING})?`, "\\p{N}{1,3}"),
    tekken: cased("", "\\p{N}"),
    deepseek: (text) => [
      "\\p{N}{1,3}",
      "[一-龥\\u3040-ゟ゠-ヿ]+",
      "[!-\\/:-@\\[-`\\{-~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|" +
      ` ?[\\p{P}\\p{S}]+[\\r\\n]*|${S}*[\\r\\n]+|${WHITE}`,
    ].reduce((words, pattern) => words.flatMap(isolated(pattern)), [text]),
    none: (text) => (text ? [text] : []),
  };
})();

// joins up to `most` words to a phrase, as partcover.corpus.pretokenizers.phrases does
function joinWords(words, most) {
  const phrases = [];
  let before = "", size = most;
  for (const word of words) {
    if (size < most && /\p{L}\p{M}*$/u.test(before) && /^[ '’]?\p{L}/u.test(word)) {
      phrases[phrases.length - 1] += word;
      size += 1;
    } else {
      phrases.push(word);
      size = 1;
    }
    before = word;
  }
  return phrases;
}

// returns the function that splits a text into words, or undefined if a rule of the name is unknown
function pretokenizer(name) {
  const rules = (name ?? "").split(/\+(?!phrases(?::\d+)?(?:\+|$))/u).map((part) => {
    const [, base, phrases, most] = /^(.*?)(\+phrases(?::(\d+))?)?$/su.exec(part);
    const mark = base === "space-prefix" ? "Ġ" : /^space-prefix:(.+)$/su.exec(base)?.[1];
    const rule = mark === undefined ? base : "first-space";
    if (!Object.hasOwn(PRETOKENIZERS, rule)) return undefined;
    const cut = PRETOKENIZERS[rule];
    const joined = phrases ? (text) => joinWords(cut(text), most ? Number(most) : Infinity) : cut;
    return mark === undefined ? joined : (text) => joined(text).map((word) => word.replaceAll(" ", () => mark));
  });
  if (rules.includes(undefined)) return undefined;
  return (text) => rules.reduce((words, rule) => words.flatMap(rule), [text]);
}

if (typeof module !== "undefined") module.exports = { ...module.exports, pretokenizer };
