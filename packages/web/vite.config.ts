import { defineConfig } from 'vite';

/** The daemon serves the page below /app/; while it is being worked on, calls go to a daemon at its usual place. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: false,
    reportCompressedSize: false,
    // Fonts and pictures as data would only make the scripts longer.
    assetsInlineLimit: 0,
    // The first script has 0.5 MB, 140 KB compressed; views are loaded when they are opened.
    chunkSizeWarningLimit: 550,
    manifest: 'manifest.json',
    // Libraries mark what servers must not render; nothing is rendered there.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  server: {
    proxy: { '/socket.io': { target: 'http://127.0.0.1:3030', ws: true } },
  },
});
