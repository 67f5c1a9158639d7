// Tables: sorted by a click on a heading, searched, with spare columns on request.
"use strict";

for (const part of document.querySelectorAll("details.table")) {
  const table = part.querySelector("table");
  const body = table.tBodies[0];
  const heads = [...table.querySelectorAll("th")];
  const value = (row, column) => {
    const { dataset, textContent } = row.cells[column];
    return dataset.number === undefined ? textContent : Number(dataset.number);
  };
  // numbers before texts
  const order = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);
  heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
    const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    body.append(...[...body.rows].sort((a, b) => sign * order(value(a, column), value(b, column))));
  }));
  part.querySelector("input[type=search]").addEventListener("input", (event) => {
    const wanted = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((each) => text.includes(each));
    }
  });
  part.querySelector(".every")?.addEventListener("change", (event) => table.classList.toggle("every", event.target.checked));
}

// print everything, since nothing can be opened on paper
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
