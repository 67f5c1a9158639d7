// Words and typed text, segmented by every vocabulary of the page.
"use strict";

if (data.explorer) (() => {
  const { symbols, names, lead, prices, telling, words: known, pretokenizer: rule, normalizer: changes } = data.explorer;
  const ROWS = 12; // words shown at first, and added by "Show more"
  const LONGEST = 2000; // symbols of a word that is segmented here
  const at = (id) => document.getElementById(id);
  const read = reader(symbols, names);
  const readInLine = reader(symbols, names, " ");
  const counts = new Map(known);
  const methods = data.explorer.methods.map((method) => ({ ...prepare(method), cache: new Map() }));
  const several = methods.length > 1;

  function cutBy(method, word) {
    if (!method.cache.has(word)) method.cache.set(word, cut(Array.from(word), method));
    return method.cache.get(word);
  }
  function title(method) {
    return make("span", { className: "method" }, method.name, " ", make("small", {}, method.rule.replaceAll("_", " ")));
  }

  // --- a text that the reader types
  const letters = new Map(Object.entries(names).map(([letter, name]) => [name, letter]));
  const split = pretokenizer(rule);
  const normalized = normalizer(changes);
  const write = symbols === "bytes"
    ? (word) => Array.from(new TextEncoder().encode(word), (b) => String.fromCharCode(b)).join("")
    : (word) => word;
  function wordsOf(text) {
    if (symbols === "ints")
      return text.split("\n").map((line) => line.split(/\s+/).filter(Boolean)).filter((line) => line.length).map((line) => {
        const unknown = line.find((symbol) => !letters.has(symbol));
        if (unknown !== undefined) throw new Error(`${unknown} is in no word and no token. Use numbers that occur in them.`);
        return line.map((symbol) => letters.get(symbol)).join("");
      });
    const changed = normalized ? normalized(text) : text;
    if (split) return split(changed).map(write);
    return changed.split(/\s+/).filter(Boolean).map((word, i) => {
      const written = write(word);
      return (i && lead && !written.startsWith(lead) ? lead : "") + written;
    });
  }
  function showText() {
    let words;
    try {
      words = wordsOf(at("text").value);
    } catch (error) {
      at("cuts").replaceChildren(make("p", {}, error.message));
      return;
    }
    const long = words.findIndex((word) => Array.from(word).length > LONGEST);
    if (long >= 0) {
      at("cuts").replaceChildren(make("p", {}, `Word ${grouped(long + 1)} has more than ${grouped(LONGEST)} symbols, the limit of this page.`));
      return;
    }
    const fewest = words.map((word) => Math.min(...methods.map((method) => cutBy(method, word).length)));
    const totals = methods.map((method) => words.reduce((sum, word) => sum + cutBy(method, word).length, 0));
    const best = Math.min(...totals);
    at("cuts").replaceChildren(...methods.map((method, m) => {
      const line = make("div", { className: "line" });
      words.forEach((word, i) => {
        const pieces = cutBy(method, word);
        const element = make("span", { className: "word" });
        element.dataset.word = word;
        if (pieces.length > fewest[i]) element.classList.add("worse");
        for (const piece of pieces) {
          element.append(pieceOf(piece, readInLine));
          if (piece.includes("\n")) element.append(make("br"));
        }
        line.append(element);
      });
      const count = make("span", { className: "count" }, `${grouped(totals[m])} ${totals[m] === 1 ? "token" : "tokens"}`);
      if (several && totals[m] > best) count.append(make("small", {}, ` +${grouped(totals[m] - best)}`));
      const shown = make("article", { className: "cut" }, make("h3", {}, title(method), count), line);
      shown.dataset.method = method.name;
      for (const piece of line.querySelectorAll(".piece"))
        Object.assign(piece, { tabIndex: -1, role: "button", ariaLabel: read(piece.dataset.token) });
      const first = line.querySelector(".piece");
      if (first) first.tabIndex = 0;
      return shown;
    }));
  }
  // the arrow keys walk along the tokens of a vocabulary
  function walk(event) {
    const piece = event.target.closest(".piece");
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!piece || !(step || event.key === "Enter" || event.key === " ")) return;
    event.preventDefault();
    const row = [...piece.closest(".line").querySelectorAll(".piece")];
    const next = row[row.indexOf(piece) + (step ?? 0)] ?? piece;
    piece.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    describe(next.dataset.token);
  }
  function describe(token) {
    const size = Array.from(token).length;
    const ranks = methods.map((method) => method.rank.get(token)).map((rank, m) =>
      `${methods[m].name}: ${rank === undefined ? (size === 1 ? "single symbol" : "not a token") : "number " + grouped(rank + 1)}`);
    const unit = { bytes: "byte", chars: "character", ints: "symbol" }[symbols];
    at("picked").replaceChildren(pieceOf(token, read), ` ${size} ${unit}${size === 1 ? "" : "s"} · ${ranks.join(" · ")}`);
  }
  function how() {
    if (symbols === "ints") return "Type numbers that occur in words or tokens, one word on each line.";
    const first = !changes?.length ? "" : normalized ? "The text is normalized like the corpus. " : "The corpus was normalized; this page cannot normalize the text. ";
    if (!split)
      return `${first}The text is split into words at white space, because ${rule ? "this page does not know the pre-tokenizer of the corpus" : "the files do not name the pre-tokenizer of the corpus"}.`;
    return `${first}The text is split into words by the pre-tokenizer of the corpus (${rule}).${several ? " Underlined words need more tokens than with another vocabulary." : ""}`;
  }
  at("how").textContent = how();
  at("text").addEventListener("input", showText);
  at("cuts").addEventListener("click", (event) => {
    const piece = event.target.closest(".piece");
    if (piece) describe(piece.dataset.token);
  });
  at("cuts").addEventListener("keydown", walk);
  // the word under the pointer is marked in every vocabulary
  at("cuts").addEventListener("pointerover", (event) => {
    const word = event.target.closest(".word");
    for (const line of at("cuts").querySelectorAll(".line")) {
      line.querySelector(".same")?.classList.remove("same");
      if (word && several) line.children[[...word.parentElement.children].indexOf(word)].classList.add("same");
    }
  });
  at("cuts").addEventListener("pointerleave", () => {
    for (const word of at("cuts").querySelectorAll(".same")) word.classList.remove("same");
  });
  // #text=… in the address opens the page with this text
  const asked = /^#text=(.*)$/.exec(location.hash);
  at("text").value = symbols === "ints"
    ? Array.from(known[0]?.[0] ?? "", (symbol) => names[symbol]).join(" ")
    : "Write here: every vocabulary tokenizes what you write.";
  try {
    if (asked) at("text").value = decodeURIComponent(asked[1]);
  } catch { /* an address that is not encoded as one: the page opens without it */ }
  showText();

  // --- the words of the corpus
  const lists = {
    telling,
    frequent: known,
    priced: known.filter(([word]) => Object.hasOwn(prices, word)), // a word may be "constructor"
  };
  let rows = ROWS;
  function showWords() {
    const wanted = at("find").value;
    const list = lists[at("show").value].filter(([word]) => read(word).includes(wanted.replaceAll(" ", "␣")));
    const short = list.filter(([word]) => Array.from(word).length <= LONGEST);
    at("found").textContent = wanted || !short.length ? `${grouped(short.length)} ${short.length === 1 ? "word" : "words"} found` : "";
    at("list").replaceChildren(...short.slice(0, rows).map(row));
    at("more").hidden = short.length <= rows;
  }
  function brief(text) {
    const symbols = Array.from(text);
    return symbols.length > 36 ? `${symbols.slice(0, 26).join("")}…${symbols.slice(-9).join("")}` : text;
  }
  function row([word, count]) {
    const fewest = Math.min(...methods.map((method) => cutBy(method, word).length));
    const ways = new Map(); // vocabularies with the same segmentation of the word share a line
    for (const method of methods) {
      const key = cutBy(method, word).join("\u{10FFFF}");
      ways.set(key, [...(ways.get(key) ?? []), method]);
    }
    const shown = make("article", { className: "entry" },
      make("h3", {}, make("code", { title: read(word) }, brief(read(word))), make("small", {}, ` × ${grouped(count)}`)),
      make("div", { className: "ways" }, ...[...ways.values()].map((alike) => {
        const pieces = cutBy(alike[0], word);
        const way = make("div", { className: "way" },
          make("span", { className: "methods" }, ...alike.flatMap((method, i) => (i ? [", ", title(method)] : [title(method)]))),
          make("span", { className: "pieces" }, ...pieces.map((piece) => pieceOf(piece, read))),
          make("span", { className: several && pieces.length > fewest ? "size worse" : "size" }, grouped(pieces.length)));
        way.dataset.methods = JSON.stringify(alike.map((method) => method.name));
        return way;
      })));
    shown.dataset.word = word;
    if (Object.hasOwn(prices, word)) shown.append(pricesOf(word));
    return shown;
  }
  function pricesOf(word) {
    const bars = make("div", { className: "prices" });
    const most = Math.max(...prices[word].prices, 1);
    [...word].forEach((symbol, i) => {
      const price = prices[word].prices[i];
      const bar = make("i");
      bar.style.height = `${(Math.max(0, price) / most) * 4}rem`;
      bars.append(make("span", {}, price.toFixed(2), bar, read(symbol)));
    });
    const list = make("ul", { className: "tokens" });
    for (const [token, reward, worth, best] of prices[word].tokens)
      list.append(make("li", {}, pieceOf(token, read), ` reward ${grouped(Math.round(reward))}, ${worth.toFixed(2)} of it here${best ? ", among the k largest" : ""}`));
    return make("details", {}, make("summary", {}, "Prices of its symbols, and the tokens in it with the largest rewards"), bars, list);
  }
  function restart() {
    rows = ROWS;
    showWords();
  }
  if (!telling.length) at("show").value = "frequent";
  at("show").addEventListener("change", restart);
  at("find").addEventListener("input", restart);
  at("search").addEventListener("submit", (event) => event.preventDefault());
  at("more").addEventListener("click", () => { rows += ROWS; showWords(); });
  showWords();
})();
