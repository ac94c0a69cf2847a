// One thing that is wrong with the configuration: where, what, and what to do about it.

export type ConfigPlace =
  | { readonly kind: 'file'; readonly file: string; readonly line: number; readonly column: number }
  | { readonly kind: 'environment'; readonly name: string };

/** Sentences for the operator; never a value that could be a secret. */
export interface ConfigProblem {
  readonly place: ConfigPlace;
  readonly message: string;
  readonly fix: string;
}

/** All problems as text for a terminal, in the order of the file. */
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
