// The system calls that are filtered for a boxed process, with their numbers on the supported architectures.

export type Architecture = 'x64' | 'arm64';

/** `null`: the architecture has no such call. */
export type Numbers = Readonly<Record<Architecture, number | null>>;

function call(x64: number | null, arm64: number | null): Numbers {
  return { x64, arm64 };
}

/** Refused with any arguments. Work on documents and programs does not need them. */
export const REFUSED = {
  // Other views of the file system.
  mount: call(165, 40),
  umount2: call(166, 39),
  pivot_root: call(155, 41),
  chroot: call(161, 51),
  open_tree: call(428, 428),
  move_mount: call(429, 429),
  fsopen: call(430, 430),
  fsconfig: call(431, 431),
  fsmount: call(432, 432),
  fspick: call(433, 433),
  mount_setattr: call(442, 442),
  statmount: call(457, 457),
  listmount: call(458, 458),
  open_tree_attr: call(467, 467),
  name_to_handle_at: call(303, 264),
  open_by_handle_at: call(304, 265),
  quotactl: call(179, 60),
  quotactl_fd: call(443, 443),
  fanotify_init: call(300, 262),
  ustat: call(136, null),
  sysfs: call(139, null),
  lookup_dcookie: call(212, 18),
  nfsservctl: call(180, 42),
  // Other namespaces, and other processes.
  unshare: call(272, 97),
  setns: call(308, 268),
  ptrace: call(101, 117),
  process_vm_readv: call(310, 270),
  process_vm_writev: call(311, 271),
  process_madvise: call(440, 440),
  pidfd_getfd: call(438, 438),
  kcmp: call(312, 272),
  // Keys of the machine, which namespaces do not separate.
  add_key: call(248, 217),
  request_key: call(249, 218),
  keyctl: call(250, 219),
  // Large parts of the kernel that are rarely needed and were often broken.
  bpf: call(321, 280),
  perf_event_open: call(298, 241),
  userfaultfd: call(323, 282),
  io_uring_setup: call(425, 425),
  io_uring_enter: call(426, 426),
  io_uring_register: call(427, 427),
  modify_ldt: call(154, null),
  uselib: call(134, null),
  _sysctl: call(156, null),
  // The machine itself.
  kexec_load: call(246, 104),
  kexec_file_load: call(320, 294),
  init_module: call(175, 105),
  finit_module: call(313, 273),
  delete_module: call(176, 106),
  create_module: call(174, null),
  query_module: call(178, null),
  get_kernel_syms: call(177, null),
  reboot: call(169, 142),
  swapon: call(167, 224),
  swapoff: call(168, 225),
  acct: call(163, 89),
  vhangup: call(153, 58),
  syslog: call(103, 116),
  sethostname: call(170, 161),
  setdomainname: call(171, 162),
  settimeofday: call(164, 170),
  clock_settime: call(227, 112),
  clock_adjtime: call(305, 266),
  iopl: call(172, null),
  ioperm: call(173, null),
  // The location of memory, and memory that cannot be inspected.
  mbind: call(237, 235),
  set_mempolicy: call(238, 237),
  get_mempolicy: call(239, 236),
  set_mempolicy_home_node: call(450, 450),
  migrate_pages: call(256, 238),
  move_pages: call(279, 239),
  memfd_secret: call(447, 447),
} as const satisfies Readonly<Record<string, Numbers>>;

/** They create memory in no process or folder, such as that of queues. Only a control group counts it. */
export const UNCOUNTED = {
  memfd_create: call(319, 279),
  shmget: call(29, 194),
  semget: call(64, 190),
  msgget: call(68, 186),
  mq_open: call(240, 180),
} as const satisfies Readonly<Record<string, Numbers>>;

/** Allowed or refused depending on their arguments. */
export const JUDGED = {
  clone: call(56, 220),
  clone3: call(435, 435),
  socket: call(41, 198),
  socketpair: call(53, 199),
  ioctl: call(16, 29),
  personality: call(135, 92),
} as const satisfies Readonly<Record<string, Numbers>>;
