// The service on a PostgreSQL database behind a proxy that breaks on request.
import { type LossyProxy, openLossyProxy } from '../storage/lossy-proxy.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { openTestService, type TestService } from '../support/service.ts';

/** Registers work for the end of the test. */
export type Afterwards = (work: () => Promise<void>) => void;

interface ThroughProxy {
  readonly test: TestService;
  readonly proxy: LossyProxy;
  /** The address of the database past the proxy. */
  readonly url: string;
}

export async function openThroughProxy(afterwards: Afterwards): Promise<ThroughProxy> {
  const postgres = await openTestPostgres();
  const proxy = await openLossyProxy(postgres.url);
  const test = await openTestService({ config: { database: { url: proxy.url } } });
  afterwards(async () => {
    await test.close();
    await proxy.close();
    await postgres.close();
  });
  return { test, proxy, url: postgres.url };
}
