// Carries what the page has changed and shows in the fragment of its address, which browsers never send.
//
// `#p1.POOL.CONTENT`: the version of the form, the identity of the pool, JSON compressed in the
// form of zlib, whose check sum finds what is damaged, in base64url.

import {shown} from "./dom.js";

const VERSION = "1";
const MOST = 8 << 20;
const ASKED = ["job", "user", "group"];

async function through(stream, bytes) {
  const writer = stream.writable.getWriter();
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const parts = [];
  let size = 0;
  for (const reader = stream.readable.getReader(); ;) {
    const {done, value} = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > MOST) throw new Error("too much");
    parts.push(value);
  }
}

function letters(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const bytesOf = text =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), one => one.charCodeAt(0));

const isText = value => typeof value === "string";
const isTexts = value => value !== null && typeof value === "object" && Object.values(value).every(isText);
const isContent = ({overlay, files, view, question}) => isText(overlay) && isTexts(files) && isTexts(view)
  && (question === null || (isTexts(question) && ASKED.includes(question.what) && isText(question.name)));

// The fragment for a content: texts, the view, the question that is answered.
export async function fragmentOf(content, pool) {
  const plain = new TextEncoder().encode(JSON.stringify(content));
  return `#p${VERSION}.${pool}.${letters(await through(new CompressionStream("deflate"), plain))}`;
}

// The content of a fragment; raises an error, whose message is a sentence, for one that is none here.
export async function contentOf(fragment, {identity, files}) {
  const [, version, pool, packed] = fragment.match(/^#p(\d+)\.([^.]*)\.(.*)$/s) || [];
  if (version === undefined) throw new Error("The link is damaged: the page opens without it.");
  if (version !== VERSION)
    throw new Error(`The link is of another version of the laboratory, ${version}, and this one reads ${VERSION}: the page opens without it.`);
  if (pool !== identity) throw new Error("The link is of another pool: the page opens without it.");
  let content;
  try {
    const plain = await through(new DecompressionStream("deflate"), bytesOf(packed));
    content = JSON.parse(new TextDecoder("utf-8", {fatal: true}).decode(plain));
    if (!isContent(content)) throw new Error("something else");
  } catch {
    throw new Error("The link is damaged: the page opens without it.");
  }
  return known(content, files, "The link");
}

// The same content if the configuration has all its files.
function known(content, files, what) {
  const unknown = Object.keys(content.files).find(name => !files.some(one => one.name === name));
  if (unknown !== undefined)
    throw new Error(`${what} changes a file that this configuration does not have, ${shown(unknown)}: the page opens without it.`);
  return content;
}

// --- files --------------------------------------------------------------------------------------

const HEAD = "pieslice lab";
const NONE = ": the page opens without it.";
const lines = text => text.split("\n");

// The text of a `.pieslice` file: the same content, line by line, and whose it is.
export function savedOf({overlay, files, view, question}, {name, identity, path, negotiators, made_up}) {
  const content = {
    [HEAD]: Number(VERSION), pool: {name, identity, path: path || "", negotiator: negotiators.chosen, made_up: made_up > 0}, overlay: lines(overlay),
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, lines(text)])), view,
    question: question && {what: question.what, name: question.name, slot: question.slot || null},
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

// The content of such a text; raises an error, whose message is a sentence.
export function contentOfSaved(text, overview) {
  let found, content;
  try {
    found = JSON.parse(text);
    if (!(HEAD in found)) throw new Error("something else");
  } catch {
    throw new Error(`The file is damaged, or no page that was saved${NONE}`);
  }
  if (String(found[HEAD]) !== VERSION)
    throw new Error(`The file is of another version of the laboratory, ${shown(found[HEAD])}, and this one reads ${VERSION}${NONE}`);
  try {
    const joined = all => { if (!all.every(isText)) throw new Error("no text"); return all.join("\n"); };
    content = {overlay: joined(found.overlay), view: found.view, question: found.question,
      files: Object.fromEntries(Object.entries(found.files).map(([name, all]) => [name, joined(all)]))};
    if (content.question && content.question.slot === null) delete content.question.slot;
    if (!isContent(content)) throw new Error("something else");
  } catch {
    throw new Error(`The file is damaged${NONE}`);
  }
  return ofPool({identity: found.pool?.identity, name: "The file", content}, overview);
}

// The content of a saved page if it is one of this pool.
export function ofPool({identity, name, content}, overview) {
  if (identity !== overview.identity) throw new Error(`${shown(name)} is of another pool${NONE}`);
  return known(content, overview.files, shown(name));
}
