// The whole service on a real port.
import { httpOptionsSchema } from '../../src/http/transport/http-options.ts';
import { type HttpServer, listen } from '../../src/http/transport/server.ts';
import { openTestService, type TestService, type TestServiceOptions } from '../support/service.ts';

export interface ServedService extends TestService {
  readonly server: HttpServer;
}

export async function openServedService(options: TestServiceOptions = {}): Promise<ServedService> {
  const service = await openTestService(options);
  const { server: http = {} } = options.config ?? {};
  const server = await listen(
    service.service.app,
    httpOptionsSchema.parse({ ...(typeof http === 'object' ? http : {}), port: 0 }),
  );
  return {
    ...service,
    server,
    async close() {
      const closed = server.close();
      server.closeNow();
      await closed;
      await service.close();
    },
  };
}
