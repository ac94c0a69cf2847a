// The services that every screen can use: the API, the connection, the outbox, and the fetch for the SDK.
import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react';
import type { Api } from '../api/api.ts';
import type { Connection, ConnectionState } from '../api/connection.ts';
import type { ServiceFetch } from '../api/service-fetch.ts';
import type { Outbox } from './outbox.ts';

export interface Services {
  readonly api: Api;
  readonly connection: Connection;
  readonly fetch: ServiceFetch;
  readonly outbox: Outbox;
}

const ServicesContext = createContext<Services | undefined>(undefined);

export function ServicesProvider({
  services,
  children,
}: {
  readonly services: Services;
  readonly children: ReactNode;
}) {
  return <ServicesContext value={services}>{children}</ServicesContext>;
}

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === undefined) throw new Error('useServices is called outside of ServicesProvider.');
  return services;
}

export function useConnectionState(): ConnectionState {
  const { connection } = useServices();
  return useSyncExternalStore(connection.subscribe, connection.state);
}
