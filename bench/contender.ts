// A server that the bench drives: where it is, how it is spoken to, and which process does its work.

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
