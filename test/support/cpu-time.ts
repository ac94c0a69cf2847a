// What a piece of work costs this process, which other work of the machine does not change.

/** Milliseconds of CPU time until the work is done. */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
