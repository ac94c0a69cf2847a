// What brings packages out and in for a command, on the storage that it has opened.
import { createAgentTransfer } from '../agents/agent-transfer.ts';
import type { Config } from '../config/schema.ts';
import { createSkillRoom } from '../create-skill-room.ts';
import { createLog } from '../log.ts';
import { createMemoryService } from '../memory/memory-service.ts';
import { createMemoryTransfer } from '../memory/memory-transfer.ts';
import { createScheduleTransfer } from '../schedules/schedule-transfer.ts';
import type { Storage } from '../storage/storage.ts';
import { createThreadRemover } from '../threads/thread-remover.ts';
import { createTransferRoom, type TransferRoom } from '../transfer/create-transfer.ts';
import { createUpkeep } from '../upkeep/upkeep.ts';
import { createUuidV7 } from '../uuid-v7.ts';
import { createWorkspaceFiles } from '../workspace/workspace-files.ts';

/** The same room as that of a service; `exclusive`: the command alone works on the database. */
export function openTransferRoom(storage: Storage, config: Config, exclusive: boolean): TransferRoom {
  const { dataHome, import: options } = config;
  const log = createLog({ level: 'silent', format: 'json' });
  // Nothing is done in the background of a command.
  const upkeep = createUpkeep({ log });
  const world = { log, now: storage.now, newId: createUuidV7(storage.now), exclusive, upkeep };
  const workspace = createWorkspaceFiles({ dataHome });
  const remover = createThreadRemover({
    ...world,
    removals: storage.threadRemovals,
    removeFiles: ({ userId, threadId }) => workspace({ userId, threadId }).removeAll(),
    forget: () => {},
  });
  const skills = createSkillRoom({
    ...world,
    options: config.skills,
    dataHome,
    storage,
    diskUseOfUser: () => ({ admit: async () => {}, added: () => {} }),
  });
  const { models } = config;
  // Those that are found when the service starts are not known here.
  const hasModel = (name: string) => models === undefined || models.some((model) => model.name === name);
  const agents = createAgentTransfer({ ...world, storage, hasModel });
  const maxFacts = config.memory.max_facts;
  const memory = createMemoryService({ ...world, maxFacts, onChange: () => {} });
  return createTransferRoom({
    ...world,
    storage,
    skills: skills.transfer,
    agents,
    memory: createMemoryTransfer({ ...world, storage, memory }),
    schedules: createScheduleTransfer({ ...world, storage, options: config.schedules, hasModel }),
    workspace,
    dataHome,
    maxStateBytes: config.runs.max_state_mb * 1_048_576,
    // What the operator brings in is limited no more than its files are.
    admitMetadata: async () => {},
    options,
    store: config.store,
    quota: config.workspace,
    removeFiles: remover.sweep,
  });
}
