// A server that the bench drives: where it is, how it is spoken to, and which process does its work.
import { startServer } from './child.ts';

export interface Contender {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Before `/threads`. */
  readonly prefix: string;
  readonly createsThreads: boolean;
  end(): Promise<void>;
}

export async function startPassThrough(modelPort: number): Promise<Contender> {
  const { child, port } = await startServer('pass-through.ts', [String(modelPort)]);
  return {
    name: 'pass-through',
    pid: child.pid,
    port,
    headers: {},
    prefix: '/api/graph',
    createsThreads: false,
    end: child.end,
  };
}
