// Greedy token by token, beside the optimum.
"use strict";

for (const section of document.querySelectorAll("section.steps")) {
  const one = data.steps[Number(section.dataset.index)];
  const read = reader(one.symbols, one.names);
  const range = section.querySelector("input");
  const rows = (pieces, fresh) => pieces.map((word, i) => make("div", { className: "counted" },
    make("span", { className: "pieces" }, ...word.map((token) => {
      const element = pieceOf(token, read);
      if (token === fresh) element.classList.add("new");
      return element;
    })), make("span", { className: "note" }, `× ${grouped(one.counts[i])}`)));
  section.querySelector(".best").replaceChildren(
    make("p", {}, `${grouped(one.best.tokens)} tokens with `, ...one.best.chosen.map((token) => pieceOf(token, read))), ...rows(one.best.pieces));
  const step = () => {
    const state = one.greedy[Number(range.value)];
    section.querySelector(".state").replaceChildren(
      ...(state.token === null ? ["No token yet"] : [`Token ${range.value}: `, pieceOf(state.token, read)]),
      `, ${grouped(state.tokens)} tokens in GreedTok's order, ${grouped(state.fewest)} at best`);
    section.querySelector(".greedy").replaceChildren(...rows(state.pieces, state.token));
  };
  range.addEventListener("input", step);
  section.querySelector(".next").addEventListener("click", () => { range.stepUp(); step(); });
  section.querySelector(".back").addEventListener("click", () => { range.stepDown(); step(); });
  step();
  window.addEventListener("beforeprint", () => { range.value = range.max; step(); });
}
