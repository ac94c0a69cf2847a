// Options of the sandbox: what the configuration file says under `sandbox:`.
import { z } from 'zod';
import { fairShareFields } from '../../fair-share/fair-share-options.ts';

export const sandboxOptionsSchema = z.strictObject({
  /** `auto`: bubblewrap where it works, else the virtual shell. `host` needs `allow_host`. */
  kind: z.enum(['auto', 'bubblewrap', 'container', 'virtual', 'host', 'off']).default('auto'),
  /**
   * `strict`: the service starts only where commands are held by bubblewrap, a filter of system calls and control groups,
   * or by a container engine without the network. `best`: with what the machine has; what is missing is told.
   */
  require: z.enum(['strict', 'best']).default('best'),
  /** Lets commands run as this service's own user, with everything that it may see and do. */
  allow_host: z.boolean().default(false),
  /**
   * Whether commands reach the network: with bubblewrap the public web, with a container engine whatever the engine's own
   * network reaches, with the virtual shell never anything.
   */
  network: z.boolean().default(false),
  /** What one command may send and receive, with bubblewrap. */
  network_mb: z.int().min(1).max(1_048_576).default(1_024),
  /** Commands that run at the same time, of everybody and of one user; how many of one user may wait. */
  commands: z.strictObject(fairShareFields({ at_once: 8, per_user: 4, waiting_per_user: 200 })).prefault({}),
  /** Wall time of one command. */
  timeout_seconds: z.number().positive().max(86_400).default(600),
  /** CPU time of one process. */
  cpu_seconds: z.int().min(1).max(86_400).default(600),
  /** Memory of one command, all of its processes together. */
  memory_mb: z.int().min(64).max(1_048_576).default(1_024),
  /** Processes and threads of one command. */
  processes: z.int().min(8).max(32_768).default(256),
  /** One file that a command writes. */
  file_mb: z.int().min(1).max(1_048_576).default(256),
  /** Everything that one command says; beyond it, the command is killed. */
  output_mb: z.int().min(1).max(1_024).default(64),
  /** Free space of the disk below which no command goes on. */
  min_free_mb: z.int().min(0).max(1_048_576).default(256),
  /** Where programs are looked for: those of the sandbox, and those of `host`. */
  path: z.string().min(1).default('/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'),
  container: z
    .strictObject({
      /** The engine's command line: Docker's, or one that takes the same arguments. */
      engine: z.string().min(1).default('docker'),
      image: z.string().min(1).default('debian:stable-slim'),
      /** `uid:gid` of commands; absent: those of the service, whose files they are. */
      user: z
        .string()
        .regex(/^\d+:\d+$/, 'must be a user and a group in numbers, such as 1000:1000')
        .optional(),
      /** Variables that the engine's command line is given, such as `DOCKER_HOST`. */
      env: z.record(z.string().min(1), z.string()).default({}),
    })
    .prefault({}),
});

export type SandboxOptions = z.output<typeof sandboxOptionsSchema>;
