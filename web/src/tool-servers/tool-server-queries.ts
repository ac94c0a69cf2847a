// The tool servers, what administrators change about them, and the person's own sign-ins.
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { ServerEntries, ToolServer } from '../api/tool-server-shapes.ts';
import { useServices } from '../services.tsx';

/** While one of them is still starting, its state is asked for again and again. */
const STARTING_POLL_MS = 1_500;

export const serversQuery = (api: Api) =>
  queryOptions({ queryKey: ['tool-servers'], queryFn: () => api.toolServers() });

function isStarting({ status }: ToolServer): boolean {
  return status === 'connecting';
}

export function useToolServers() {
  const { api } = useServices();
  return useQuery({
    ...serversQuery(api),
    refetchInterval: ({ state }) => (state.data?.some(isStarting) === true ? STARTING_POLL_MS : false),
  });
}

/** The entry of one server as it is written, with masks in the place of secrets. */
export function useServerEntry(name: string) {
  const { api } = useServices();
  return useQuery({
    queryKey: ['tool-server-config'],
    queryFn: () => api.serverConfig(),
    select: ({ mcpServers }) => mcpServers[name],
    // What is edited is what is there now.
    staleTime: 0,
  });
}

/** Changes the document as it is at that moment. */
export function useChangeServers() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (change: (servers: ServerEntries) => ServerEntries) => {
      const config = await api.serverConfig();
      await api.writeServerConfig({ ...config, mcpServers: { ...change(config.mcpServers) } });
    },
    onSettled: () => refreshServers(queryClient),
  });
}

export function useTestServer() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => api.testToolServer(name),
    onSettled: () => refreshServers(queryClient),
  });
}

export function useApproveTools(server: string) {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (digests: Readonly<Record<string, string>>) => api.approveTools(server, digests),
    onSettled: () => refreshServers(queryClient),
  });
}

/** Leaves this page for the one where the person signs in. */
export function useSignIn() {
  const { api } = useServices();
  return useMutation({
    mutationFn: (name: string) => api.signInAddress(name),
    onSuccess: (address) => location.assign(address),
  });
}

export function useSignOut() {
  const { api } = useServices();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => api.signOutOfServer(name),
    onSettled: () => refreshServers(queryClient),
  });
}

async function refreshServers(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['tool-servers'] }),
    queryClient.invalidateQueries({ queryKey: ['tool-server-config'] }),
  ]);
}
