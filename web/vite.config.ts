// How the web app is built: one page, hashed assets, without what nobody uses in it.
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Browsers that run this app read the first format of three, and a third of the files is enough. */
const onlyNewestFonts: Plugin = {
  name: 'only-newest-fonts',
  enforce: 'pre',
  transform: (code, id) =>
    id.includes('katex.min.css')
      ? code.replaceAll(/,url\(fonts\/[^)]{1,60}\.(?:woff|ttf)\) format\("[a-z]{1,9}"\)/g, '')
      : undefined,
};

const SERVICE = 'http://127.0.0.1:2026';

export default defineConfig({
  plugins: [onlyNewestFonts, react(), tailwindcss()],
  resolve: {
    alias: [
      {
        // The Markdown code plugin asks for all of shiki's 300 languages; it gets the ones in this file.
        find: /^shiki$/,
        replacement: fileURLToPath(new URL('./src/markdown/languages.ts', import.meta.url)),
      },
      {
        // A fifth of the page otherwise, for tracing that nobody switches on in a browser.
        find: /^langsmith(\/.*)?$/,
        replacement: fileURLToPath(new URL('./src/conversation/no-tracing.ts', import.meta.url)),
      },
    ],
  },
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 1_000 },
  server: { proxy: { '/api': SERVICE, '/health': SERVICE } },
});
