// Creates export and import for a command, on the storage that it has opened.
import type { Config } from '../config/schema.ts';
import { createLog } from '../log.ts';
import { createMemoryService } from '../memory/memory-service.ts';
import { createAccountTransfer } from '../service/account-transfer.ts';
import { createSkills } from '../skills/skills.ts';
import type { Storage } from '../storage/storage.ts';
import { createThreadRemover } from '../threads/thread-remover.ts';
import type { Transfer } from '../transfer/create-transfer.ts';
import { createUpkeep } from '../upkeep/upkeep.ts';
import { createUuidV7 } from '../uuid-v7.ts';
import { createWorkspaceFiles } from '../workspace/workspace-files.ts';

/** `exclusive` is true when no other process uses the database. */
export function openTransfer(storage: Storage, config: Config, exclusive: boolean): Transfer {
  const { dataHome, models } = config;
  const log = createLog({ level: 'silent', format: 'json' });
  // A command does no background work.
  const upkeep = createUpkeep({ log });
  const { now } = storage;
  const newId = createUuidV7(now);
  const files = createWorkspaceFiles({ dataHome });
  const remover = createThreadRemover({
    removals: storage.threadRemovals,
    removeFiles: ({ userId, threadId }) => files({ userId, threadId }).removeAll(),
    forget: () => {},
    log,
    now,
    exclusive,
    upkeep,
  });
  const skills = createSkills({
    dataHome,
    publicFolder: config.skills.public_folder,
    // Skills that the operator imports have no quota, and neither do files.
    diskUseOfUser: () => ({ admit: async () => {}, added: () => {} }),
    options: config.skills,
    storage,
    log,
    now,
    newId,
  });
  return createAccountTransfer({
    ground: { config, storage, exclusive, upkeep, log, now, newId },
    workspace: { files, admitMetadata: async () => {} },
    threads: { removeFiles: remover.sweep },
    skills,
    memory: createMemoryService({ maxFacts: config.memory.max_facts, onChange: () => {}, now, newId }),
    // Models that are discovered when the service starts are unknown here.
    hasModel: (name) => models === undefined || models.some((model) => model.name === name),
  });
}
