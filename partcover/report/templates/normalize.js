// The normalizers of partcover.corpus.normalizers.normalizer: what is done to text before it is split.
"use strict";

const NORMALIZERS = (() => {
  const WHITE = "\\p{White_Space}";
  const IDEOGRAPHS = "\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B81F}\u{2B920}-\u{2CEAF}\u{2F800}-\u{2FA1F}";
  const writing = (pattern, content) => {
    const compiled = new RegExp(pattern, "gu");
    return (text) => text.replace(compiled, typeof content === "string" ? () => content : content);
  };
  // JavaScript looks at what is around a Σ
  const lower = (text) => text.replaceAll("Σ", "σ").toLowerCase();
  // patterns that mean the same here: white space, so many times
  const SPACES = /^(?:\\s|[ ]|\\[nrt]|\[(?:\\s|[ ]|\\[nrt])+\])(?:[+]|\{\d+,\d*\})?$/u;
  const form = (name) => () => (text) => text.normalize(name);
  return {
    NFC: form("NFC"),
    NFD: form("NFD"),
    NFKC: form("NFKC"),
    NFKD: form("NFKD"),
    Lowercase: () => lower,
    StripAccents: () => writing("\\p{M}+", ""),
    Strip: ({ strip_left: left, strip_right: right }) => (text) => {
      const begun = left ? text.replace(new RegExp(`^${WHITE}+`, "u"), "") : text;
      return right ? begun.replace(new RegExp(`(?<!${WHITE})${WHITE}+$`, "u"), "") : begun;
    },
    Replace: ({ pattern, content }) => {
      if (pattern.String !== undefined) return (text) => (pattern.String ? text.replaceAll(pattern.String, () => content) : text);
      return SPACES.test(pattern.Regex) ? writing(pattern.Regex.replaceAll("\\s", WHITE), content) : undefined;
    },
    Prepend: ({ prepend }) => (text) => (text ? prepend + text : text),
    BertNormalizer: (step) => {
      const steps = [];
      if (step.clean_text) {
        steps.push(writing("[\\0\\uFFFD]|(?![\\t\\n\\r])\\p{Cc}|\\p{Cf}|\\p{Co}", ""));
        steps.push(writing(WHITE, " "));
      }
      if (step.handle_chinese_chars) steps.push(writing(`[${IDEOGRAPHS}]`, (found) => ` ${found} `));
      if (step.strip_accents ?? step.lowercase) steps.push(form("NFD")(), writing("\\p{Mn}+", ""));
      if (step.lowercase) steps.push(lower);
      return (text) => steps.reduce((done, change) => change(done), text);
    },
    Nmt: () => {
      const gone = writing("[\\x01-\\x08\\x0B\\x0E-\\x1F\\x7F\\x8F\\x9F]+", "");
      const spaced = writing("[\\t\\n\\f\\r\\u1680\\u200B-\\u200F\\u2028\\u2029\\u2581\\uFEFF\\uFFFD]", " ");
      return (text) => spaced(gone(text));
    },
  };
})();

// the function that normalizes a text, or nothing where one of the steps is not known here
function normalizer(steps) {
  const changes = (steps ?? []).map((step) => (Object.hasOwn(NORMALIZERS, step.type) ? NORMALIZERS[step.type](step) : undefined));
  if (changes.includes(undefined)) return undefined;
  return (text) => changes.reduce((done, change) => change(done), text);
}

if (typeof module !== "undefined") module.exports = { ...module.exports, normalizer };
