// What the page does: it sorts tables, cuts words and steps through greedy.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  // Okabe and Ito's colours, light enough for black text
  const COLOURS = ["#f3c04d", "#8fd0f5", "#4dcfa8", "#f7ef8a", "#7fb3e0", "#f2a071", "#e3a8cb", "#cfcfcf"];

  function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }
  function colour(token) {
    let hash = 7;
    for (const symbol of token) hash = (hash * 31 + symbol.codePointAt(0)) % 65521;
    return COLOURS[hash % COLOURS.length];
  }
  // the text of a token: UTF-8 as characters, other bytes as \xHH, a space as a visible sign
  function reader(symbols, names) {
    const read = plainReader(symbols, names);
    return Object.keys(names).length ? read : (token) => read(token).replaceAll(" ", "␣");
  }
  // characters that are invisible or change the direction of the text around them
  function seen(text) {
    return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) =>
      "\t\n\r".includes(c) ? JSON.stringify(c).slice(1, -1) : `\\u{${c.codePointAt(0).toString(16).toUpperCase()}}`);
  }
  function plainReader(symbols, names) {
    if (symbols === "bytes")
      return (token) => {
        const bytes = Uint8Array.from(token, (symbol) => symbol.charCodeAt(0));
        try {
          return seen(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
        } catch {
          return Array.from(bytes, (b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : "\\x" + b.toString(16).toUpperCase().padStart(2, "0"))).join("");
        }
      };
    if (Object.keys(names).length) return (token) => Array.from(token, (symbol) => names[symbol] ?? symbol).join(" ");
    return seen;
  }
  function pieceOf(token, read, title = "") {
    const single = Array.from(token).length === 1;
    const element = make("span", { className: single ? "piece single" : "piece", title }, read(token));
    if (!single) element.style.background = colour(token);
    element.dataset.token = token;
    return element;
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.querySelectorAll("th")];
    heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => {
        const cell = row.cells[column];
        return cell.dataset.number === undefined ? cell.textContent : Number(cell.dataset.number);
      };
      const order = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);
      const body = table.tBodies[0];
      const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * order(value(a), value(b)));
      body.append(...rows);
    }));
  }

  const explorer = data.explorer;
  if (explorer) {
    const read = reader(explorer.symbols, explorer.names);
    const methods = explorer.methods.map(prepare);
    const counts = new Map(explorer.words);
    const named = new Map(explorer.words.map(([word]) => [read(word), word]));
    const cuts = document.getElementById("cuts");
    const text = document.getElementById("text");
    const pick = document.getElementById("pick");
    const letters = new Map(Object.entries(explorer.names).map(([letter, name]) => [name, letter]));

    // turns typed text into words of one character a symbol
    function words(typed) {
      if (explorer.symbols === "ints") {
        const symbols = typed.trim().split(/\s+/).filter(Boolean);
        const unknown = symbols.find((symbol) => !letters.has(symbol));
        if (unknown !== undefined) throw new Error(`${unknown} is in no word and no token`);
        return symbols.length ? [symbols.map((symbol) => letters.get(symbol)).join("")] : [];
      }
      const write = explorer.symbols === "bytes"
        ? (word) => Array.from(new TextEncoder().encode(word), (b) => String.fromCharCode(b)).join("")
        : (word) => word;
      return typed.split(/ +/).filter(Boolean).map((shown, i) => {
        // a word of the corpus as the list shows it, with signs for spaces and invisible characters
        if (/[␣\\]/.test(shown) && named.has(shown)) return named.get(shown);
        const word = write(shown);
        return (i && explorer.lead && !word.startsWith(explorer.lead) ? explorer.lead : "") + word;
      });
    }
    function pricesOf(word) {
      if (!Object.hasOwn(explorer.prices, word)) return []; // a word may be "constructor"
      const prices = explorer.prices[word];
      const bars = make("div", { className: "prices" });
      [...word].forEach((symbol, i) => {
        const price = prices.prices[i];
        const bar = make("i", { title: price.toFixed(4) });
        bar.style.height = `${Math.max(0, price) * 3}rem`;
        bars.append(make("span", {}, price.toFixed(2), bar, read(symbol)));
      });
      const list = make("ul", { className: "tokens" });
      for (const [token, reward, worth, best] of prices.tokens)
        list.append(make("li", {}, pieceOf(token, read), ` reward ${Math.round(reward).toLocaleString("en")}, here ${worth.toFixed(2)}${best ? ", one of the k best" : ""}`));
      return [make("h4", {}, "Prices of its symbols"), bars, make("h4", {}, "Tokens that compete for it"), list];
    }
    function held(word) {
      const symbols = Array.from(word);
      const found = new Map();
      for (let i = 0; i < symbols.length; i++)
        for (let j = i + 2; j <= symbols.length; j++) {
          const token = symbols.slice(i, j).join("");
          const by = methods.filter((method) => method.rank.has(token)).map((method) => method.name);
          if (by.length && !found.has(token)) found.set(token, by);
        }
      const list = make("ul", { className: "tokens" });
      for (const [token, by] of found) list.append(make("li", {}, pieceOf(token, read), " " + by.join(", ")));
      return found.size ? [make("details", {}, make("summary", {}, "Tokens of the vocabularies that occur in it"), list)] : [];
    }
    function show(chosen) {
      cuts.replaceChildren(...chosen.slice(0, 50).map((word) => {
        const count = counts.get(word);
        const shown = make("article", {}, make("h3", {}, `${read(word)} ${count ? "× " + count.toLocaleString("en") : "(typed)"}`));
        shown.dataset.word = word;
        for (const method of methods) {
          const pieces = cut(Array.from(word), method);
          const row = make("div", { className: "method" },
            make("span", {}, `${method.name}, ${method.rule.replace(/_/g, " ")}`),
            make("span", { className: "count" }, String(pieces.length)),
            make("span", { className: "word" }, ...pieces.map((token) =>
              pieceOf(token, read, method.rank.has(token) ? `${read(token)}: token ${method.rank.get(token) + 1} of ${method.tokens.length}` : "single symbol"))));
          row.dataset.method = method.name;
          shown.append(row);
        }
        shown.append(...pricesOf(word), ...held(word));
        return shown;
      }));
    }
    function tell(error) { cuts.replaceChildren(make("p", {}, error.message)); }

    pick.append(make("option", { value: "" }, "a word"));
    explorer.words.forEach(([word, count], i) => pick.append(make("option", { value: String(i) }, `${read(word)} × ${count.toLocaleString("en")}`)));
    document.getElementById("words").append(...explorer.words.slice(0, 200).map(([word]) => make("option", { value: read(word) })));
    pick.addEventListener("change", () => { if (pick.value) show([explorer.words[Number(pick.value)][0]]); });
    document.getElementById("typed").addEventListener("submit", (event) => {
      event.preventDefault();
      try { show(words(text.value)); } catch (error) { tell(error); }
    });
    // #words=… in the address opens the page with these words
    const asked = /^#words=(.*)$/.exec(location.hash);
    try {
      if (asked) text.value = decodeURIComponent(asked[1]);
      show(asked ? words(text.value) : explorer.words.filter(([word]) => Array.from(word).length > 3).slice(0, 5).map(([word]) => word));
    } catch (error) { tell(error); }
  }

  for (const section of document.querySelectorAll("section.steps")) {
    const one = data.steps[Number(section.dataset.index)];
    const read = reader(one.symbols, one.names);
    const range = section.querySelector("input");
    const rows = (pieces, fresh) => pieces.map((word, i) => make("div", { className: "counted" },
      make("span", { className: "word" }, ...word.map((token) => {
        const element = pieceOf(token, read);
        if (token === fresh) element.classList.add("new");
        return element;
      })), make("span", {}, `× ${one.counts[i].toLocaleString("en")}`)));
    section.querySelector(".best").replaceChildren(make("p", {}, `${one.best.tokens.toLocaleString("en")} tokens with `, ...one.best.chosen.map((token) => pieceOf(token, read))), ...rows(one.best.pieces));
    const step = () => {
      const state = one.greedy[Number(range.value)];
      section.querySelector(".state").replaceChildren(
        state.token === null ? "No token yet" : `Token ${range.value}: `, ...(state.token === null ? [] : [pieceOf(state.token, read)]),
        `, ${state.tokens.toLocaleString("en")} tokens in GreedTok's order, ${state.fewest.toLocaleString("en")} at best`);
      section.querySelector(".greedy").replaceChildren(...rows(state.pieces, state.token));
    };
    range.addEventListener("input", step);
    section.querySelector(".next").addEventListener("click", () => { range.stepUp(); step(); });
    section.querySelector(".back").addEventListener("click", () => { range.stepDown(); step(); });
    step();
    window.addEventListener("beforeprint", () => { range.value = range.max; step(); });
  }
  // print everything, since nothing can be opened on paper
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
})();
