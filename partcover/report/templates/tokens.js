// How tokens look: elements, their text and their color.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// whole numbers beyond 53 bits are texts
function grouped(number) {
  return (typeof number === "string" ? BigInt(number) : number).toLocaleString("en");
}

// characters that are invisible or change the direction of the text around them
function seen(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) =>
    "\t\n\r".includes(c) ? JSON.stringify(c).slice(1, -1) : `\\u{${c.codePointAt(0).toString(16).toUpperCase()}}`);
}

// the text of a token: UTF-8 as characters, other bytes as \xHH; `space` stands for a space
function reader(symbols, names, space = "␣") {
  if (Object.keys(names).length) return (token) => Array.from(token, (symbol) => names[symbol] ?? symbol).join(" ");
  const read = symbols === "bytes" ? readBytes : seen;
  return (token) => read(token).replaceAll(" ", space);
}

function readBytes(token) {
  const bytes = Uint8Array.from(token, (symbol) => symbol.charCodeAt(0));
  try {
    return seen(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return Array.from(bytes, (b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : "\\x" + b.toString(16).toUpperCase().padStart(2, "0"))).join("");
  }
}

// a token in its box; equal tokens have equal colors, and new tokens take them in turn, so that
// neighbours seldom look alike
const turns = new Map();
function pieceOf(token, read) {
  const element = make("span", { className: "piece single" }, read(token));
  if (Array.from(token).length > 1) {
    if (!turns.has(token)) turns.set(token, turns.size % 8);
    element.className = `piece t${turns.get(token)}`;
  }
  element.dataset.token = token;
  return element;
}
