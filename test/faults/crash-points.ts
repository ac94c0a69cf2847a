// Makes every durable write and every call to the outside a named point, by wrapping the ports.
import type { Model, ModelPart, ModelRequest } from '../../src/models/model.ts';
import type { Repositories, Storage } from '../../src/storage/storage.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { withAhead } from '../support/with-ahead.ts';

/** Called at every point with its name; the work pauses until a returned promise settles. */
export type AtPoint = (name: string) => Promise<void> | undefined;

/** Makes the writes of a port the points `<method>.before` and `<method>.after`. */
function pointed<Port extends object>(
  port: Port,
  writes: readonly (keyof Port & string)[],
  at: AtPoint,
): Port {
  return new Proxy(port, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      const name = String(key);
      if (typeof member !== 'function' || !writes.some((it) => it === name)) return member;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        await at(`${name}.before`);
        const answer: unknown = await Reflect.apply(member, target, args);
        await at(`${name}.after`);
        return answer;
      };
    },
  });
}

function repositoriesWithPoints(own: Repositories, at: AtPoint): Repositories {
  return {
    ...own,
    runs: pointed(own.runs, ['admit', 'cancel'], at),
    threads: pointed(own.threads, ['create', 'update', 'delete'], (name) => at(`thread.${name}`)),
    checkpoints: pointed(own.checkpoints, ['append'], at),
    usage: pointed(own.usage, ['countLate'], (name) => at(`late.${name}`)),
  };
}

/** `commit`, `claim`, `renew`, `release`, `admit`, `cancel`, `append`, `thread.create`, `removal.done` ... of all owners. */
export function storageWithPoints(storage: Storage, at: AtPoint): Storage {
  return {
    ...storage,
    as: (owner) => withAhead(storage.as(owner), (own) => repositoriesWithPoints(own, at)),
    runCommits: pointed(storage.runCommits, ['commit'], at),
    budgetReservations: pointed(storage.budgetReservations, ['reserve'], at),
    threadRemovals: pointed(storage.threadRemovals, ['take', 'done'], (name) => at(`removal.${name}`)),
    accountRemovals: pointed(storage.accountRemovals, ['begin', 'take', 'clear', 'done'], (name) =>
      at(`account.${name}`),
    ),
    threadImports: pointed(
      storage.threadImports,
      ['open', 'beginThread', 'add', 'finishThread', 'renewClaim', 'publish', 'removeThreads', 'close'],
      (name) => at(`import.${name}`),
    ),
    memoryJobs: pointed(storage.memoryJobs, ['add', 'claim', 'finish'], (name) => at(`memory.${name}`)),
    scheduleFires: pointed(storage.scheduleFires, ['decide', 'claim', 'started', 'settle'], (name) =>
      at(`schedule.${name}`),
    ),
    eventRetention: pointed(storage.eventRetention, ['removeNext'], (name) => at(`retention.${name}`)),
    frameRetention: pointed(storage.frameRetention, ['replace'], (name) => at(`pruning.${name}`)),
    backgroundTasks: pointed(storage.backgroundTasks, ['begun', 'settle'], (name) => at(`task.${name}`)),
    workers: pointed(storage.workers, ['register', 'renew', 'fenceOthers', 'retire'], at),
    runLeases: pointed(storage.runLeases, ['claim', 'held', 'release', 'giveUp'], at),
  };
}

/** Adds `model.before` the request, `model.token` at its first part, and `model.after` its last one. */
export function modelWithPoints(model: Model, at: AtPoint): Model {
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, void> {
    await at('model.before');
    let parts = 0;
    for await (const part of model.stream(request)) {
      if (++parts === 1) await at('model.token');
      if (part.type === 'finish') await at('model.after');
      yield part;
    }
  }
  return { info: model.info, stream };
}

/** Adds `tool.<name>.before` the tool runs, and `tool.<name>.after` its effect, which is not recorded yet. */
export function toolWithPoints(tool: Tool, at: AtPoint): Tool {
  return {
    ...tool,
    parse(args) {
      const parsed = tool.parse(args);
      if (!parsed.ok) return parsed;
      return {
        ok: true,
        async run(context) {
          await at(`tool.${tool.name}.before`);
          const outcome = await parsed.run(context);
          await at(`tool.${tool.name}.after`);
          return outcome;
        },
      };
    },
  };
}
