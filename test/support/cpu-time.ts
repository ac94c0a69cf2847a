// Measures the cost of work for this process, independent of other work of the machine.

/** Returns the milliseconds of CPU time until the work is done. */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
