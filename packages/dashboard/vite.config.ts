import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = dirname(fileURLToPath(import.meta.url));

export default defineConfig({
  root: here,
  plugins: [react(), tailwindcss()],
  resolve: {
    alias: {
      // Its build for browsers writes innerHTML, which Trusted Types refuse.
      "decode-named-character-reference": join(
        here,
        "node_modules/decode-named-character-reference/index.js",
      ),
    },
  },
  worker: { format: "es" },
  build: {
    // The gateway serves it, and its package carries it.
    outDir: join(here, "../gateway/dist/page"),
    // `tidy-page.mjs` takes out what an earlier build left, and nothing that is still read.
    emptyOutDir: false,
    target: "es2023",
    modulePreload: { polyfill: false },
    // A file in place of a data: address, so that the policy needs no exception.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Reading a property of an unused module has no effect here: what only does that goes.
    rolldownOptions: {
      treeshake: { propertyReadSideEffects: false },
      output: {
        // Small pieces of views that follow each other are one file: they compress better, and take one request.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              name: "parts",
              test: /dashboard\/src\/(?:compare|editor|form|inbox|thread)\//,
              minShareCount: 2,
              maxModuleSize: 8_000,
            },
          ],
        },
      },
    },
  },
});
