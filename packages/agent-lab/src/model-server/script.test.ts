import { expect, test } from "vitest";
import { readScript } from "./script.ts";

test("a script is its marks, in order, wherever they are in the prompt", () => {
  expect(readScript('Do it.\n[[shell:npm test]] and [[json:{"a":[[1]]}]], else [[429:2]]')).toEqual(
    [
      { kind: "shell", command: "npm test" },
      { kind: "json", json: '{"a":[[1]]}' },
      { kind: "429", times: 2 },
    ],
  );
});

test("an edit says where, and on further lines what", () => {
  expect(readScript("[[edit:/a b.txt]] [[edit:/c.js\none\ntwo\n]]")).toEqual([
    { kind: "edit", path: "/a b.txt", content: "written by the scripted model\n" },
    { kind: "edit", path: "/c.js", content: "one\ntwo\n" },
  ]);
});

test("a failing mark without a number always fails", () => {
  expect(readScript("[[cut]]")).toEqual([{ kind: "cut", times: Number.POSITIVE_INFINITY }]);
});

test("double brackets that are not a mark are left alone", () => {
  expect(readScript("if [[ -f x ]]; then [[1]]; see [[wiki:page]]")).toEqual([]);
});

test("what is inside a mark is not a mark", () => {
  expect(readScript("[[shell:echo [[silence]]")).toEqual([
    { kind: "shell", command: "echo [[silence" },
  ]);
});

test("a mark that does not end is an error in the test that wrote it", () => {
  expect(() => readScript("[[text:open")).toThrow("[[text: does not end: open");
});
