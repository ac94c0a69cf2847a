// Counts the statements that this process sends to databases, by patching the drivers.
import { DatabaseSync, StatementSync } from 'node:sqlite';
import pg from 'pg';
import { vi } from 'vitest';

interface CountedStatements {
  /** Returns the statements since the last call, or since the start. */
  take(): readonly string[];
  stop(): void;
}

export function countStatements(): CountedStatements {
  const client = vi.spyOn(pg.Client.prototype, 'query');
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  const prepared = [
    vi.spyOn(StatementSync.prototype, 'all'),
    vi.spyOn(StatementSync.prototype, 'run'),
    vi.spyOn(StatementSync.prototype, 'get'),
  ];
  const spies = [client, exec, ...prepared];
  return {
    take() {
      const texts = [
        ...client.mock.calls.map(([query]) => textOf(query)),
        ...exec.mock.calls.map(([text]) => text),
        ...prepared.flatMap(({ mock }) => mock.contexts.map(sourceOf)),
      ];
      for (const spy of spies) spy.mockClear();
      return texts;
    },
    stop() {
      for (const spy of spies) spy.mockRestore();
    },
  };
}

function sourceOf(statement: unknown): string {
  return statement instanceof StatementSync ? statement.sourceSQL : '';
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  const { text } = query as { readonly text?: unknown };
  return typeof text === 'string' ? text : '';
}
