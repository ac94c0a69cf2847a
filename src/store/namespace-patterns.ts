// Which namespaces a listing wants. Pure.

export interface NamespacePattern {
  /** Labels at the beginning and at the end; `*` stands for any one label. */
  readonly prefix: readonly string[];
  readonly suffix: readonly string[];
  /** Deeper ones are cut to so many labels. */
  readonly maxDepth: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

type Namespace = readonly string[];

/** `sorted`: in the order of the answer. */
export function namespacesLike(
  sorted: readonly Namespace[],
  { prefix, suffix, maxDepth, limit, offset }: NamespacePattern,
): readonly Namespace[] {
  const matching = sorted.filter(
    (labels) =>
      labels.length >= Math.max(prefix.length, suffix.length) &&
      isLike(labels.slice(0, prefix.length), prefix) &&
      isLike(labels.slice(labels.length - suffix.length), suffix),
  );
  const cut = matching.map((labels) => labels.slice(0, maxDepth));
  const each = new Map(cut.map((labels) => [labels.join('.'), labels]));
  return [...each.values()].slice(offset, offset + limit);
}

function isLike(labels: Namespace, pattern: Namespace): boolean {
  return pattern.every((wanted, index) => wanted === '*' || wanted === labels[index]);
}
