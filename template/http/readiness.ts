// Whether requests should come here: not while starting, not while draining, not while a check fails.
export type Readiness = ReturnType<typeof createReadiness>;

/** Throws or rejects when what it looks at does not work. */
type Check = () => void | Promise<void>;
type State = 'starting' | 'serving' | 'draining';

export function createReadiness() {
  const checks = new Map<string, Check>();
  const readiness = {
    state: 'starting' as State,
    register: (name: string, check: Check) => void checks.set(name, check),
    /** The state, and of each check whether it passed. */
    async report() {
      const results = await Promise.allSettled([...checks.values()].map(async (check) => check()));
      const passed = [...checks.keys()].map((name, index) => [name, results[index]?.status === 'fulfilled'] as const);
      const ready = readiness.state === 'serving' && passed.every(([, isFine]) => isFine);
      return { ready, state: readiness.state, checks: Object.fromEntries(passed) };
    },
  };
  return readiness;
}
