// The composition root: every part is made here once, by hand, bottom-up.
import { v7 } from 'uuid';
import {
  createLeadAgentFactory,
  LEAD_AGENT,
  LEAD_AGENT_DESCRIPTION,
  type LeadAgentParts,
} from './agent/lead-agent.ts';
import { type Auth, createAuth } from './auth/create-auth.ts';
import type { Config } from './config/schema.ts';
import { createApiRoutes } from './create-api-routes.ts';
import { createRunRoom, type RunRoom } from './create-run-room.ts';
import { createThreadRoom, type Upkeep } from './create-thread-room.ts';
import { invalid } from './errors.ts';
import { createApp } from './http/app.ts';
import type { PeerAddress } from './http/clients.ts';
import type { App } from './http/context.ts';
import { createLog, type Log } from './log.ts';
import { createModelCatalog, type ModelCatalog } from './models/catalog.ts';
import type { Model } from './models/model.ts';
import { createAssistants } from './runs/assistants.ts';
import { openStorage } from './storage/sql/open-storage.ts';
import type { Storage } from './storage/storage.ts';
import { createThreadStates } from './storage/thread-states.ts';
import { createThreadStateService, type ThreadStateService } from './threads/thread-state-service.ts';
import { createAskClarificationTool } from './tools/ask-clarification.ts';
import { createFileTools } from './tools/file-tools.ts';
import type { Tool } from './tools/tool.ts';
import { createWorkspaceFiles } from './workspace/workspace-files.ts';

export interface Service {
  readonly app: App;
  readonly storage: Storage;
  readonly log: Log;
  /** Creates the first administrator if there is none and takes up runs that an earlier process left. */
  start(): Promise<void>;
  /** Where the first administrator's password is, while that file exists. */
  initialCredentialsPath(): Promise<string | undefined>;
  /** No new runs; running ones get `graceMs`, what is left is handed back, and everything is written. */
  drain(graceMs: number): Promise<void>;
  /** `drain`; then the database is closed. */
  close(graceMs: number): Promise<void>;
}

/** What a test brings instead of the world's own. */
export interface ServiceOverrides {
  readonly now?: () => number;
  readonly newId?: () => string;
  readonly log?: Log;
  readonly storage?: Storage;
  /** What becomes of the service's own tools. */
  readonly tools?: (own: readonly Tool[]) => readonly Tool[];
  readonly peerAddress?: PeerAddress;
  readonly webRoot?: string;
}

/** Makes a service of a configuration and its models. Throws a sentence for the operator when it cannot start. */
export async function createService(
  config: Config,
  models: readonly Model[],
  overrides: ServiceOverrides = {},
): Promise<Service> {
  const { now = Date.now, newId = v7, tools = (own) => own, webRoot, peerAddress } = overrides;
  const { dataHome } = config;
  const log = overrides.log ?? createLog(config.log);
  const storage = overrides.storage ?? (await openStorage({ ...config.database, log, now }));
  const states = createThreadStates({ maxBytes: config.runs.state_cache_mb * 1_048_576 });
  const auth = await createAuth({ storage, dataHome, options: config.auth, log, now });
  const catalog = createModelCatalog(models);
  const workspace = createWorkspaceFiles({ dataHome });
  const threadStates = createThreadStateService({ states, now, newId });
  const agents = createLeadAgentFactory({
    models: catalog,
    tools: tools([...createFileTools(workspace), createAskClarificationTool()]),
    ...agentChoices(catalog, config.agent),
    onLateTitle: lateTitle({ threadStates, storage, log }),
    now,
    newId,
  });
  const assistants = createAssistants([{ name: LEAD_AGENT, description: LEAD_AGENT_DESCRIPTION }], now);
  const exclusive = config.database.url.startsWith('sqlite:');
  const parts = { storage, log, now, newId, exclusive };
  const room = createRunRoom({ ...parts, states, agents, assistants, options: config.runs });
  const { threads, upkeep } = createThreadRoom({ ...parts, workspace, dataHome, room });
  const lifecycle = createLifecycle({ storage, auth, upkeep, ...room });
  const app = createApp({
    options: config.server,
    log,
    storage,
    auth,
    threads,
    showThreadState: threadStates.show,
    updateThreadState: threadStates.update,
    ready: lifecycle.ready,
    routes: createApiRoutes({
      runs: room.runs,
      threads,
      threadStates,
      threadEvents: room.threadEvents,
      assistants,
      models: catalog,
      maxStreamsPerUser: config.server.max_streams_per_user,
      sessions: auth.sessions,
      log,
      newId,
    }),
    webRoot,
    now,
    newId,
    ...(peerAddress === undefined ? {} : { peerAddress }),
  });
  const { start, drain, close } = lifecycle;
  return { app, storage, log, start, drain, close, initialCredentialsPath: auth.initialCredentialsPath };
}

interface LateTitleParts {
  readonly threadStates: ThreadStateService;
  readonly storage: Storage;
  readonly log: Log;
}

/** A title that came after the run is set when the thread is idle; else the one it has stays. */
function lateTitle({ threadStates, storage, log }: LateTitleParts): LeadAgentParts['onLateTitle'] {
  return ({ userId, threadId }, title) => {
    threadStates.setTitle(storage.as(userId), threadId, title).catch((error: unknown) => {
      log.info({ err: error, threadId }, 'a title came too late');
    });
  };
}

type AgentChoices = Pick<LeadAgentParts, 'options' | 'summaryModel' | 'titleModel'>;

/** The options of the agent, with the models that they name. */
function agentChoices(catalog: ModelCatalog, options: Config['agent']): AgentChoices {
  return {
    options,
    summaryModel: namedModel(catalog, 'compaction.model', options.compaction.model),
    titleModel: namedModel(catalog, 'title_model', options.title_model),
  };
}

/** The model that an option of the agent names. */
function namedModel(catalog: ModelCatalog, option: string, name: string | undefined): Model | undefined {
  if (name === undefined) return undefined;
  const model = catalog.get(name);
  if (model === undefined) throw invalid(`agent.${option}: there is no model named '${name}'.`);
  return model;
}

interface LifecycleParts extends RunRoom {
  readonly storage: Storage;
  readonly auth: Auth;
  readonly upkeep: Upkeep;
}

interface Lifecycle extends Pick<Service, 'start' | 'drain' | 'close'> {
  readonly ready: () => Promise<readonly string[]>;
}

function createLifecycle(parts: LifecycleParts): Lifecycle {
  const { storage, auth, upkeep, runs, dispatcher, runLog, framePruner } = parts;
  let draining = false;
  const drain = async (graceMs: number): Promise<void> => {
    draining = true;
    runs.close();
    framePruner.stop();
    await dispatcher.drain(graceMs);
    await upkeep.stop();
    await runLog.idle();
  };
  return {
    drain,
    async start() {
      await auth.bootstrap();
      await dispatcher.start();
      framePruner.start();
      upkeep.start();
    },
    async ready() {
      const reasons = draining ? ['The service is stopping.'] : [];
      await storage.checkWritable().catch(() => reasons.push('The database cannot be written.'));
      return reasons;
    },
    async close(graceMs) {
      await drain(graceMs);
      await storage.close();
    },
  };
}
