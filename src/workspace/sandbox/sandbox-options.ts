// Options of the sandbox: the section `sandbox:` of the configuration file.
import { z } from 'zod';
import { fairShareFields } from '../../fair-share/fair-share-options.ts';

export const sandboxOptionsSchema = z.strictObject({
  /** `auto`: bubblewrap where it works, else the virtual shell. `host` needs `allow_host`. */
  kind: z.enum(['auto', 'bubblewrap', 'container', 'virtual', 'host', 'off']).default('auto'),
  /**
   * `strict`: the service starts only where bubblewrap, a filter of system calls and control groups confine
   * commands, or a container engine without the network does. `best`: it starts with what the machine offers,
   * and reports what is missing.
   */
  require: z.enum(['strict', 'best']).default('best'),
  /** Lets commands run as this service's own user, with everything that it may see and do. */
  allow_host: z.boolean().default(false),
  /**
   * Whether commands reach the network: with bubblewrap the public web, with a container engine whatever its
   * own network reaches, with the virtual shell never anything.
   */
  network: z.boolean().default(false),
  /** The data that one command may send and receive, with bubblewrap. */
  network_mb: z.int().min(1).max(1_048_576).default(1_024),
  /** Concurrent commands of all users and of one user, and how many of one user may wait. */
  commands: z.strictObject(fairShareFields({ at_once: 8, per_user: 4, waiting_per_user: 200 })).prefault({}),
  /** The elapsed time of one command. */
  timeout_seconds: z.number().positive().max(86_400).default(600),
  /** CPU time of one process. */
  cpu_seconds: z.int().min(1).max(86_400).default(600),
  /** Memory of one command, for all of its processes together. */
  memory_mb: z.int().min(64).max(1_048_576).default(1_024),
  /** Processes and threads of one command. */
  processes: z.int().min(8).max(32_768).default(256),
  /** The size of one file that a command writes. */
  file_mb: z.int().min(1).max(1_048_576).default(256),
  /** All output of one command. Beyond it, the command is killed. */
  output_mb: z.int().min(1).max(1_024).default(64),
  /** Free space of the disk below which commands are stopped. */
  min_free_mb: z.int().min(0).max(1_048_576).default(256),
  /** The search path for programs: those of the sandbox, and those of `host`. */
  path: z.string().min(1).default('/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'),
  container: z
    .strictObject({
      /** The engine's command line: Docker's, or one with the same arguments. */
      engine: z.string().min(1).default('docker'),
      image: z.string().min(1).default('debian:stable-slim'),
      /** `uid:gid` of commands. Absent: those of the service, which owns the files. */
      user: z
        .string()
        .regex(/^\d+:\d+$/, 'must be a numeric user and group, such as 1000:1000')
        .optional(),
      /** Environment variables of the engine's command line, such as `DOCKER_HOST`. */
      env: z.record(z.string().min(1), z.string()).default({}),
    })
    .prefault({}),
});

export type SandboxOptions = z.output<typeof sandboxOptionsSchema>;
