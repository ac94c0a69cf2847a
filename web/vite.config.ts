// How the web app is built: one page, hashed assets, the highlighter cut down to the languages we name.
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const SERVICE = 'http://127.0.0.1:2026';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: {
    alias: [
      {
        // The Markdown code plugin asks for all of shiki's 300 languages; it gets the ones in this file.
        find: /^shiki$/,
        replacement: fileURLToPath(new URL('./src/markdown/languages.ts', import.meta.url)),
      },
    ],
  },
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 600 },
  server: { proxy: { '/api': SERVICE, '/health': SERVICE } },
});
