// Creates threads and their runs, schedules that start runs, and webhooks that report their end.
import type { AgentFactory } from '../agent/agent.ts';
import { createWebhookBody } from '../http/presenters/webhook-body.ts';
import type { ModelCatalog } from '../models/catalog.ts';
import type { BudgetLimits } from '../runs/budget/budget-options.ts';
import { createRuns, type Runs } from '../runs/create-runs.ts';
import { createSchedules } from '../schedules/create-schedules.ts';
import type { Schedules } from '../schedules/schedules.ts';
import { createThreads, type Threads } from '../threads/create-threads.ts';
import { createWebhooks, type Webhooks } from '../webhooks/create-webhooks.ts';
import type { Workspace } from '../workspace/create-workspace.ts';
import type { Ground } from './ground.ts';
import { runSnapshots } from './run-snapshots.ts';
import { requireRunnable, startRun } from './scheduled-runs.ts';

interface ConversationParts {
  readonly ground: Ground;
  readonly catalog: ModelCatalog;
  readonly workspace: Pick<Workspace, 'files' | 'snapshots' | 'admitMetadata'>;
  readonly agents: AgentFactory;
  readonly budgets: BudgetLimits | undefined;
  /** Derives a key of the service for one purpose. */
  readonly keyFor: (purpose: string) => Buffer;
}

export function createConversations(parts: ConversationParts) {
  const { ground, workspace, agents, budgets } = parts;
  const { config, dataHome, storage, states, exclusive, timers, upkeep, log, now, newId } = ground;
  const { files, snapshots, admitMetadata } = workspace;
  const webhooks = createWebhooks({
    deliveries: storage.webhookDeliveries,
    options: config.webhooks,
    key: parts.keyFor('webhook secrets'),
    bodyOf: createWebhookBody({ states, storage, now }),
    log,
    now,
    upkeep,
  });
  const runs = createRuns({
    storage,
    states,
    agents,
    files: config.workspace.snapshots.enabled ? runSnapshots(snapshots) : undefined,
    options: config.runs,
    admitMetadata,
    checkWebhook: webhooks.check,
    callWebhooks: webhooks.call,
    budgets,
    log,
    now,
    newId,
    exclusive,
    timers,
    upkeep,
  });
  const threads = createThreads({
    storage,
    files,
    dataHome,
    cancelRuns: runs.service.cancelAll,
    announceDeleted: runs.announceDeleted,
    forget: runs.forget,
    admitMetadata,
    log,
    now,
    newId,
    exclusive,
    upkeep,
  });
  return { webhooks, runs, threads, schedules: schedulesOf(parts, { webhooks, runs, threads }) };
}

function schedulesOf(
  { ground, catalog }: ConversationParts,
  { webhooks, runs, threads }: Readonly<{ webhooks: Webhooks; runs: Runs; threads: Threads }>,
): Schedules {
  const { config, storage, exclusive, upkeep, log, now, newId } = ground;
  const starting = {
    storage,
    runs: runs.service,
    threads: threads.service,
    assistants: runs.assistants,
    catalog,
    checkWebhook: webhooks.check,
    newId,
  };
  return createSchedules({
    options: config.schedules,
    fires: storage.scheduleFires,
    requireRunnable: (userId, definition) => requireRunnable(starting, userId, definition),
    startRun: (fire) => startRun(starting, fire),
    exclusive,
    upkeep,
    log,
    now,
    newId,
  });
}
