// Finds the operation of the API's document for a request.

export interface OperationIndex<Operation> {
  /** Returns `undefined` when the document has none. */
  find(method: string, path: string): Operation | undefined;
}

interface Entry<Operation> {
  readonly pattern: RegExp;
  readonly methods: Readonly<Record<string, Operation>>;
}

/** Paths with fewer parameters win, and a final `{path}` matches the remaining path, slashes included. */
export function createOperationIndex<Operation>(
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>,
): OperationIndex<Operation> {
  const exact = new Map(Object.entries(paths));
  const entries: readonly Entry<Operation>[] = [...exact]
    .filter(([path]) => path.includes('{'))
    .sort(([one], [other]) => parametersIn(one) - parametersIn(other))
    .map(([path, methods]) => ({ pattern: patternOf(path), methods }));
  return {
    find(method, path) {
      const name = method.toLowerCase();
      return (
        exact.get(path)?.[name] ??
        entries.find(({ pattern, methods }) => name in methods && pattern.test(path))?.methods[name]
      );
    },
  };
}

function parametersIn(path: string): number {
  return path.split('{').length - 1;
}

function patternOf(path: string): RegExp {
  const text = path.replace(/\{path\}$/, '.+').replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${text}$`);
}
