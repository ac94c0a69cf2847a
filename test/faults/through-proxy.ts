// The service on a PostgreSQL database to which there is a way that breaks when a test says so.
import { type LossyProxy, openLossyProxy } from '../storage/lossy-proxy.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { openTestService, type TestService } from '../support/service.ts';

/** What is done when the test is over. */
export type Afterwards = (work: () => Promise<void>) => void;

interface ThroughProxy {
  readonly test: TestService;
  readonly proxy: LossyProxy;
  /** The way past the proxy. */
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
