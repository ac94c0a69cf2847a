// The composition root: creates every part once, by hand and bottom-up, and passes dependencies by name.
import { type Auth, createAuth } from '../auth/create-auth.ts';
import { processEnvironment } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { App } from '../http/api/context.ts';
import { apiRoutes } from '../http/api-routes.ts';
import { createApp } from '../http/app.ts';
import { createModelCatalog } from '../models/catalog.ts';
import type { Model } from '../models/model.ts';
import { messageRevisions } from '../runs/record/message-revisions.ts';
import { createStore } from '../store/store-service.ts';
import { createThreadStateService } from '../threads/thread-state-service.ts';
import { createWorkspace } from '../workspace/create-workspace.ts';
import { confinementGaps, type Gap } from '../workspace/sandbox/confinement-gaps.ts';
import { createAccountTransfer } from './account-transfer.ts';
import { createConversations } from './conversations.ts';
import { createLeadAgent } from './create-lead-agent.ts';
import { createUsage } from './create-usage.ts';
import { createExtensions } from './extensions.ts';
import { createGround, type Ground, type ServiceOverrides } from './ground.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';

export interface Service extends Omit<Lifecycle, 'ready'> {
  readonly app: App;
  readonly storage: Ground['storage'];
  readonly log: Ground['log'];
  /** Belongs to the whole process, whose owner starts and stops the measurement. */
  readonly loopLag: Pick<Ground['loopLag'], 'start' | 'stop'>;
  /** Returns the path of the file with the first administrator's password, while that file exists. */
  readonly initialCredentialsPath: Auth['initialCredentialsPath'];
  /** Resolves when the database's disk has failed. All requests then fail, and the process must end. */
  readonly diskFailure: Promise<void>;
  /** Returns what this machine lacks to confine the agent's commands. */
  gaps(): Promise<readonly Gap[]>;
}

/**
 * Creates a service from a configuration and its models. Throws a sentence for the operator when it cannot
 * start.
 */
export async function createService(
  config: Config,
  models: readonly Model[],
  overrides: ServiceOverrides = {},
): Promise<Service> {
  const ground = await createGround(config, overrides);
  const { storage, log, loopLag, diskFailure, confinement, upkeep, now, newId } = ground;
  const parts = await createParts(ground, models, overrides);
  const { auth, runs, workspace } = parts;
  const { start, ready, drain, close } = createLifecycle({ storage, auth, runs, upkeep, workspace }, log);
  const gaps = () => confinementGaps(config.sandbox, confinement);
  const app = createApp({
    options: config.server,
    log,
    storage,
    auth,
    mountRoutes: apiRoutes(parts, {
      options: config.server,
      memoryOptions: config.memory,
      storeOptions: config.store,
      machine: { sandbox: config.sandbox, gaps },
      audit: storage.audit,
      ready,
      log,
      now,
      newId,
    }),
    onChange: ({ userId, threadId }) => runs.wakeUps.listChanged(userId, threadId),
    loopLag,
    webRoot: overrides.webRoot,
    peerAddress: overrides.peerAddress,
    now,
    newId,
  });
  const { initialCredentialsPath } = auth;
  return { app, storage, log, loopLag, diskFailure, gaps, start, drain, close, initialCredentialsPath };
}

async function createParts(ground: Ground, models: readonly Model[], overrides: ServiceOverrides) {
  const { config, dataHome, storage, states, confinement, exclusive, upkeep, log, now, newId } = ground;
  const { environment = processEnvironment(), tools: toolsOf = (own) => own } = overrides;
  const catalog = createModelCatalog(models);
  const auth = await createAuth({
    storage,
    dataHome,
    options: config.auth,
    configuration: Object.fromEntries(Object.entries(config)),
    log,
    now,
    newId,
  });
  const { keyFor } = auth;
  const workspace = createWorkspace({
    dataHome,
    options: config.workspace,
    uploads: config.uploads,
    storage,
    confinement,
    log,
    now,
    newId,
    exclusive,
  });
  const threadStates = createThreadStateService({
    states,
    revisions: messageRevisions,
    maxStateBytes: config.runs.max_state_mb * 1_048_576,
    maxResponseBytes: config.server.max_answer_mb * 1_048_576,
    now,
    newId,
  });
  const usage = createUsage({ ground, catalog, threadStates });
  const { onLateTitle, budgets } = usage;
  const extensions = createExtensions({ ground, catalog, workspace, usage, keyFor, environment });
  const { skills, toolServers, customAgents, memory } = extensions;
  const agents = await createLeadAgent({ ground, catalog, workspace, extensions, onLateTitle, toolsOf });
  const conversations = createConversations({ ground, catalog, workspace, agents, budgets, keyFor });
  const { webhooks, runs, threads, schedules } = conversations;
  const { admitMetadata: admitBytes } = workspace;
  const store = createStore({ storage, options: config.store, admitBytes, now, upkeep });
  const hasModel = (name: string) => catalog.list().some((model) => model.name === name);
  const { service: facts } = memory;
  const transfer = createAccountTransfer({ ground, workspace, threads, skills, memory: facts, hasModel });
  return {
    auth,
    models: catalog,
    workspace,
    threadStates,
    usage,
    skills,
    toolServers,
    customAgents,
    memory,
    webhooks,
    runs,
    threads,
    schedules,
    store,
    transfer,
  };
}
