import assert from "node:assert/strict";
import { test } from "node:test";
import { EncodingNews } from "../../src/model/encodings.ts";

test("only what differs from what the bridge believes is news", () => {
  const news = new EncodingNews();
  assert.equal(news.of("file:///a", "utf8"), undefined);
  assert.equal(news.of("file:///a", "utf8bom"), undefined, "the mark is seen in the file");
  assert.equal(news.of("file:///b", "shiftjis"), "shiftjis");
  assert.equal(news.of("file:///b", "shiftjis"), undefined, "said already");
  assert.equal(news.of("file:///a", "utf8"), undefined, "each document has its own");
});

test("the way back is news, too", () => {
  const news = new EncodingNews();
  news.of("file:///a", "windows1252");
  assert.equal(news.of("file:///a", "utf16le"), "utf16le");
  assert.equal(news.of("file:///a", "utf8bom"), "utf8");
  assert.equal(news.of("file:///a", "utf8"), undefined);
});
