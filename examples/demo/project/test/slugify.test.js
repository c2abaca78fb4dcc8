import assert from "node:assert/strict";
import { test } from "node:test";
import { slugify } from "../src/slugify.js";

test("puts a hyphen between words", () => {
  assert.equal(slugify("Hello World"), "hello-world");
});

test("puts one hyphen, however much stands between words", () => {
  assert.equal(slugify("Hello,  World!"), "hello-world");
});
