// Several processes of the service behind one proxy to a database, which breaks on request.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LossyProxy, openLossyProxy } from '../storage/lossy-proxy.ts';
import type { HttpClient } from '../support/http-client.ts';
import type { ModelServer } from '../support/model-server.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { type FaultService, startFaultService } from './fault-service.ts';
import type { Afterwards } from './through-proxy.ts';

export const LEASE_MS = 3_000;

/** A service on the database. */
export interface Place {
  readonly client: HttpClient;
  readonly model: ModelServer;
}

export interface Processes {
  readonly places: readonly Place[];
  readonly proxy: LossyProxy;
  /** The address of the database past the proxy. */
  readonly url: string;
}

/**
 * Starts this many processes behind one proxy to a database, with the same person signed in at each of them.
 */
export async function startProcesses(afterwards: Afterwards, count: number): Promise<Processes> {
  const postgres = await openTestPostgres();
  const proxy = await openLossyProxy(postgres.url);
  const dataHome = await mkdtemp(join(tmpdir(), 'outage-'));
  const services: FaultService[] = [];
  afterwards(async () => {
    await Promise.all(services.map((service) => service.remove()));
    await proxy.close();
    await Promise.all([postgres.close(), rm(dataHome, { recursive: true, force: true })]);
  });
  const start = async (): Promise<void> => {
    const config = {
      database: { url: proxy.url },
      runs: { lease_ms: LEASE_MS, lease_renewal_ms: LEASE_MS / 10 },
    };
    services.push(await startFaultService(config, [], { DATA_HOME: dataHome }));
  };
  // The first one creates the tables and the account.
  await start();
  await Promise.all(Array.from({ length: count - 1 }, start));
  const places = services.map(({ model, client }) => ({ model, client }));
  return { places, proxy, url: postgres.url };
}
