// The composition root: every part is made here once, by hand, bottom-up.

import { createAgentTransfer } from '../agents/agent-transfer.ts';
import { createAuditAnchors } from '../auth/audit-anchor.ts';
import { type Auth, createAuth } from '../auth/create-auth.ts';
import { processEnvironment } from '../config/load.ts';
import type { Environment } from '../config/references.ts';
import type { Config } from '../config/schema.ts';
import { createAgentsRoom } from '../create-agents-room.ts';
import { createFileRoom } from '../create-file-room.ts';
import { createMcpRoom } from '../create-mcp-room.ts';
import { createProgramRoom } from '../create-program-room.ts';
import { createSkillRoom } from '../create-skill-room.ts';
import { createApiRoutes } from '../http/api-routes.ts';
import { createApp } from '../http/app.ts';
import type { PeerAddress } from '../http/api/clients.ts';
import type { App } from '../http/api/context.ts';
import { createLoopLag, type LoopLag } from '../http/transport/loop-lag.ts';
import { createLog, type Log } from '../log.ts';
import { createMemoryTransfer } from '../memory/memory-transfer.ts';
import { createModelCatalog, type ModelCatalog } from '../models/catalog.ts';
import type { Model } from '../models/model.ts';
import { type ConfinementOf, createConfinement } from '../processes/confinement.ts';
import { createRuns, type Runs } from '../runs/create-runs.ts';
import { messageRevisions } from '../runs/record/message-revisions.ts';
import { createScheduleTransfer } from '../schedules/schedule-transfer.ts';
import { openStorage } from '../storage/sql/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { createThreadStates } from '../storage/thread-states.ts';
import { createThreadRoom } from '../threads/create-threads.ts';
import { createThreadStateService } from '../threads/thread-state-service.ts';
import { REAL_TIMERS, type Timers } from '../timers.ts';
import type { Tool } from '../tools/tool.ts';
import { createTransferRoom } from '../transfer/create-transfer.ts';
import { createUpkeep, type Upkeep } from '../upkeep/upkeep.ts';
import { createUuidV7 } from '../uuid-v7.ts';
import { createUploadRoom } from '../workspace/create-workspace.ts';
import { createDataHomeCheck } from '../workspace/quota/data-home-check.ts';
import { createDiskUse, type DiskUseOfUser } from '../workspace/quota/disk-use.ts';
import { createFreeDisk } from '../workspace/quota/free-disk.ts';
import type { QuotaOptions } from '../workspace/quota/quota-options.ts';
import { confinementGaps, type Gap } from '../workspace/sandbox/confinement-gaps.ts';
import { createWorkspaceFiles, type WorkspaceFilesOf } from '../workspace/workspace-files.ts';
import { createAgentRoom } from './create-lead-agent.ts';
import { createUsageRoom } from './create-usage.ts';
import { createMemoryRoom, type MemoryRoomParts } from './fact-reader.ts';
import { createScheduleRoom } from './scheduled-runs.ts';

export interface Service {
  readonly app: App;
  readonly storage: Storage;
  readonly log: Log;
  /** Of the whole process: whoever owns it starts and stops looking. */
  readonly loopLag: Pick<LoopLag, 'start' | 'stop'>;
  /** Creates the first administrator if there is none and takes up runs that an earlier process left. */
  start(): Promise<void>;
  /** Where the first administrator's password is, while that file exists. */
  initialCredentialsPath(): Promise<string | undefined>;
  /** No new runs; running ones get `graceMs`, what is left is handed back, and everything is written. */
  drain(graceMs: number): Promise<void>;
  /** Resolves when the disk under the database has failed. Every request fails then; the process is to end at once. */
  readonly diskFailure: Promise<void>;
  /** What is missing to hold the agent's commands. */
  gaps(): Promise<readonly Gap[]>;
  /** `drain`; then the database is closed. */
  close(graceMs: number): Promise<void>;
}

/** What a test brings instead of the world's own. */
export interface ServiceOverrides {
  readonly now?: () => number;
  readonly newId?: () => string;
  /** Of runs and background work. */
  readonly timers?: Timers;
  readonly log?: Log;
  readonly storage?: Storage;
  /** What becomes of the service's own tools. */
  readonly tools?: (own: readonly Tool[]) => readonly Tool[];
  readonly peerAddress?: PeerAddress;
  readonly webRoot?: string;
  /** What `$NAME` stands for in the configuration of tool servers. */
  readonly environment?: Environment;
  /** What the machine has to hold boxed processes, if that is known already. */
  readonly confinement?: ConfinementOf;
}

/** Makes a service of a configuration and its models. Throws a sentence for the operator when it cannot start. */
export async function createService(
  config: Config,
  models: readonly Model[],
  overrides: ServiceOverrides = {},
): Promise<Service> {
  const { tools = (own) => own, webRoot, peerAddress, environment } = overrides;
  const { gaps, ...parts } = await createGround(config, overrides);
  const { storage, log, loopLag, now, newId, states, diskFailure } = parts;
  const auth = await createAuth({ ...parts, options: config.auth, configuration: { ...config } });
  const catalog = createModelCatalog(models);
  const workspace = createWorkspaceFiles(parts);
  const told = { states, revisions: messageRevisions, now, newId };
  const threadStates = createThreadStateService({ ...told, ...stateLimits(config) });
  const counted = createUsageRoom({ ...parts, config, threadStates, catalog });
  const files = createFileRoom({ ...parts, workspace, threadStates, options: config.workspace.snapshots });
  const handedIn = createUploadRoom({ ...config, ...parts });
  const made = { ...parts, ...counted, config, catalog, workspace, environment, keyFor: auth.keyFor };
  const { skills, mcp, customAgents, memory, added, carried } = createExtensions(made);
  const own = { config, catalog, workspace, folder: handedIn.folder, tools };
  const agents = await createAgentRoom({ ...parts, ...counted, ...files, ...own, ...added });
  const programs = createProgramRoom({ ...parts, ...auth, config });
  const shown = { agents, options: config.runs };
  const ran = createRuns({ ...parts, ...counted, ...files.runFiles, ...programs.runs, ...shown });
  const { threads, ...removal } = createThreadRoom({ ...parts, workspace, room: ran });
  const { service: runs, assistants } = ran;
  const packages = { ...packageLimits(config), ...carried };
  const transfer = createTransferRoom({ ...parts, ...removal, workspace, ...packages });
  const schedules = createScheduleRoom({ ...made, ...programs.runs, runs, threads, assistants });
  const { ready, ...life } = createLifecycle({ ...parts, ran, auth, handedIn, quota: config.workspace });
  const app = createApp({
    ...parts,
    options: config.server,
    auth,
    threads,
    threadStates,
    ready,
    onChange: ({ userId, threadId }) => ran.wakeUps.listChanged(userId, threadId),
    routes: createApiRoutes({
      ...parts,
      ...auth,
      ...transfer,
      ...removal,
      uploads: handedIn.uploads,
      ...ran,
      runs,
      log,
      threads,
      schedules,
      threadStates,
      ...files.routes,
      ...counted,
      ...memory.routes,
      models: catalog,
      audit: storage.audit,
      ...programs.routes,
      ...skills.routes,
      customAgents,
      ...mcp.routes,
      machine: { sandbox: config.sandbox, gaps },
      server: config.server,
    }),
    webRoot,
    ...(peerAddress === undefined ? {} : { peerAddress }),
  });
  const { initialCredentialsPath } = auth;
  return { app, storage, log, loopLag, diskFailure, gaps, ...life, initialCredentialsPath };
}

interface ExtensionParts
  extends Pick<MemoryRoomParts, 'states' | 'catalog' | 'usage' | 'lateCalls' | 'exclusive'> {
  readonly config: Config;
  readonly catalog: ModelCatalog;
  readonly environment: ServiceOverrides['environment'];
  readonly dataHome: string;
  readonly storage: Pick<Storage, 'as' | 'audit' | 'sharedSkillSwitches' | 'agentVersions' | 'memoryJobs'>;
  readonly keyFor: Auth['keyFor'];
  readonly diskUseOfUser: DiskUseOfUser;
  readonly workspace: WorkspaceFilesOf;
  readonly hidden: readonly string[];
  readonly confinement: ConfinementOf;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  readonly upkeep: Upkeep;
}

/** What people add to the agent. */
function createExtensions(parts: ExtensionParts) {
  const { config, environment = processEnvironment() } = parts;
  const skills = createSkillRoom({ ...parts, options: config.skills });
  const mcp = createMcpRoom({ ...parts, environment });
  const customAgents = createAgentsRoom({ ...parts, models: parts.catalog });
  const memory = createMemoryRoom({ ...parts, options: config.memory });
  const sources = [skills.source, mcp.source, memory.source];
  const added = { sources, readOnly: skills.folders, profileOf: customAgents.profileOf };
  const { storage, now, newId, catalog } = parts;
  const hasModel = (name: string) => catalog.list().some((model) => model.name === name);
  const carried = {
    skills: skills.transfer,
    agents: createAgentTransfer({ storage, hasModel, now, newId }),
    memory: createMemoryTransfer({ storage, memory: memory.routes.memory, now }),
    schedules: createScheduleTransfer({ storage, options: config.schedules, hasModel, now, newId }),
  };
  return { skills, mcp, customAgents, memory, added, carried };
}

/** What every part stands on. */
async function createGround(config: Config, overrides: ServiceOverrides) {
  const { dataHome } = config;
  const log = overrides.log ?? createLog(config.log);
  const { promise: diskFailure, resolve: onDiskFailure } = Promise.withResolvers<void>();
  const opened = () => openStorage({ ...config.database, log, now: overrides.now, onDiskFailure });
  const storage = overrides.storage ?? (await opened());
  const { now = storage.now } = overrides;
  const { newId = createUuidV7(now), timers = REAL_TIMERS } = overrides;
  const exclusive = config.database.url.startsWith('sqlite:');
  const upkeep = createUpkeep({ log, timers });
  upkeep.add(createAuditAnchors({ audit: storage.audit, log }));
  const states = createThreadStates({ maxBytes: config.runs.state_cache_mb * 1_048_576 });
  const quota = createDiskUse({ dataHome, options: config.workspace, storedBytes: storedBytesOf(storage) });
  const loopLag = createLoopLag({ log });
  const machine = lookAtMachine(config, overrides.confinement);
  const told = { log, loopLag, diskFailure };
  return { storage, ...told, now, newId, timers, exclusive, dataHome, upkeep, states, ...quota, ...machine };
}

/** What may be brought in with a package. */
function packageLimits(config: Config) {
  return {
    ...stateLimits(config),
    options: config.import,
    store: config.store,
    quota: config.workspace,
  };
}

/** Of one state, and of the states in one answer, in bytes. */
function stateLimits({ runs, server }: Config) {
  return { maxStateBytes: runs.max_state_mb * 1_048_576, maxAnswerBytes: server.max_answer_mb * 1_048_576 };
}

/** What counts of the database in a user's quota, in bytes. */
function storedBytesOf(storage: Pick<Storage, 'as'>): (userId: string) => Promise<number> {
  return async (userId) => {
    const { usage, storeItems } = storage.as(userId);
    return (await usage.metadataBytes()) + (await storeItems.use()).bytes;
  };
}

interface MachineLook {
  /** What no box shows. */
  readonly hidden: readonly string[];
  readonly confinement: ConfinementOf;
  readonly gaps: Service['gaps'];
}

function lookAtMachine(config: Config, known: ConfinementOf | undefined): MachineLook {
  const hidden = hiddenFiles(config);
  const confinement = known ?? createConfinement({ path: config.sandbox.path, hidden });
  return { hidden, confinement, gaps: () => confinementGaps(config.sandbox, confinement) };
}

/** What no box shows, wherever it lies: files of a database have names that begin alike. */
function hiddenFiles({ dataHome, configFile, database }: Config): readonly string[] {
  const file = /^sqlite:(?!:memory:)(.+)$/s.exec(database.url)?.[1];
  return [dataHome, configFile, ...(file === undefined ? [] : [file, `${file}-wal`, `${file}-shm`])];
}

interface LifecycleParts {
  readonly ran: Runs;
  readonly storage: Storage;
  readonly auth: Auth;
  readonly upkeep: Upkeep;
  readonly handedIn: { stop(): Promise<void> };
  readonly dataHome: string;
  readonly quota: Pick<QuotaOptions, 'min_free_mb'>;
  readonly newId: () => string;
}

interface Lifecycle extends Pick<Service, 'start' | 'drain' | 'close'> {
  readonly ready: () => Promise<readonly string[]>;
}

function createLifecycle(parts: LifecycleParts): Lifecycle {
  const { storage, auth, upkeep, handedIn, ran } = parts;
  const { service: runs, dispatcher, log: runLog, threadChanges, wakeUps } = ran;
  const checkDataHome = createDataHomeCheck({
    ...parts,
    freeDisk: createFreeDisk(parts.dataHome, parts.quota),
  });
  let draining = false;
  const drain = async (graceMs: number): Promise<void> => {
    draining = true;
    runs.close();
    await dispatcher.drain(graceMs);
    threadChanges.close();
    await Promise.all([upkeep.stop(), handedIn.stop()]);
    await runLog.idle();
    // The last that others hear of this process is what it has written last.
    await wakeUps.stop();
  };
  return {
    drain,
    async start() {
      await auth.bootstrap();
      wakeUps.start();
      await dispatcher.start();
      upkeep.start();
    },
    async ready() {
      const reasons = draining ? ['The service is stopping.'] : [];
      await storage.checkWritable().catch(() => reasons.push('The database cannot be written.'));
      return [...reasons, ...(await checkDataHome())];
    },
    async close(graceMs) {
      await drain(graceMs);
      await storage.close();
    },
  };
}
