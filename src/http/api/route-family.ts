// The two API groups, which differ in path, defaults and a few shapes (docs/contract/conventions.md#prefixes).

export interface RouteFamily {
  readonly kind: 'gateway' | 'runtime';
  readonly prefix: '/api' | '/api/graph';
  /** Heading in the API documentation. */
  readonly tag: string;
  /** `config.recursion_limit` of a run that does not say. */
  readonly recursionLimit: number;
  /** `limit` of a thread search that does not say. */
  readonly searchLimit: number;
  /** What a run does on a busy thread when it does not say. */
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
