// One problem of the configuration: its place, a description and a fix.

export type ConfigPlace =
  | { readonly kind: 'file'; readonly file: string; readonly line: number; readonly column: number }
  | { readonly kind: 'environment'; readonly name: string };

/** Sentences for the operator. They never contain a value that could be secret. */
export interface ConfigProblem {
  readonly place: ConfigPlace;
  readonly message: string;
  readonly fix: string;
}

/** Returns all problems as text for a terminal, in the given order. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const lines = problems.flatMap(({ place, message, fix }) => [
    `  ${placeText(place)}  ${message}`,
    `      ${fix}`,
  ]);
  return [`The configuration has ${count}:`, ...lines].join('\n');
}

function placeText(place: ConfigPlace): string {
  if (place.kind === 'environment') return `environment variable ${place.name}`;
  return `${place.file}:${place.line}:${place.column}`;
}
