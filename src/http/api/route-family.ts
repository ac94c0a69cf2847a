// The two API groups, which differ in path, defaults and a few shapes (docs/contract/conventions.md#prefixes).

export interface RouteFamily {
  readonly kind: 'gateway' | 'runtime';
  readonly prefix: '/api' | '/api/graph';
  /** Heading in the API documentation. */
  readonly tag: string;
  /** Default `config.recursion_limit` of a run. */
  readonly recursionLimit: number;
  /** Default `limit` of a thread search. */
  readonly searchLimit: number;
  /** Default behavior of a run on a busy thread. */
  readonly multitaskStrategy: 'reject' | 'enqueue';
}

export const GATEWAY: RouteFamily = {
  kind: 'gateway',
  prefix: '/api',
  tag: 'Gateway',
  recursionLimit: 100,
  searchLimit: 100,
  multitaskStrategy: 'reject',
};

export const RUNTIME: RouteFamily = {
  kind: 'runtime',
  prefix: '/api/graph',
  tag: 'Agent runtime',
  recursionLimit: 25,
  searchLimit: 10,
  multitaskStrategy: 'enqueue',
};
