// Serves the pages from their sources and reloads them on every change, with the same /api as the built ones.
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import type { Config } from '../../config/config-schema.ts';
import { type Listening, localUrl } from '../../http/listen.ts';
import viteConfig from '../vite.config.ts';

export async function startDevServer(config: Config, backendUrl: string): Promise<Listening> {
  const { host, port } = config.server.frontend;
  const server = await createServer({
    ...viteConfig,
    // Vite would load it by way of a temporary file, which `node --watch` takes for a change.
    configFile: false,
    root: fileURLToPath(new URL('..', import.meta.url)),
    logLevel: 'warn',
    server: {
      host,
      port,
      strictPort: true,
      proxy: { '/api': { target: backendUrl, rewrite: (path) => path.replace(/^\/api/, config.api.prefix) } },
    },
  });
  await server.listen();
  const [url = localUrl({ host, port })] = server.resolvedUrls?.local ?? [];
  return { url: url.replace(/\/$/, ''), close: () => server.close() };
}
