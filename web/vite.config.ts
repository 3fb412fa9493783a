// The page is built once, into files the program embeds: no inline scripts or styles (the server forbids them),
// no addresses of other hosts. Names carry a hash of their content so that they can be cached for good.
import { defineConfig } from "vite";

export default defineConfig({
  base: "/",
  build: {
    target: "es2021",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
