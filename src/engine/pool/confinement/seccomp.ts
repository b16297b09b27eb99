/**
 * A filter of system calls for children, as the kernel takes it (seccomp(2), classic BPF). Decoders need files, memory,
 * threads and the programs that they start. All other system calls are attack surface. A refused call fails with EPERM,
 * as it would for lack of rights, so that a program goes on.
 */

/** Numbers of system calls on two architectures (Linux: arch/x86/entry/syscalls, include/uapi/asm-generic/unistd.h). */
type Numbers = readonly [x64: number | undefined, arm64: number | undefined]

/** Refused whatever their arguments. */
const REFUSED: Readonly<Record<string, Numbers>> = {
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  // Views of the system: mounts, namespaces, roots, devices.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  setns: [308, 268],
  unshare: [272, 97],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  mknod: [133, undefined],
  mknodat: [259, 33],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  fanotify_init: [300, 262],
  // Large and often broken parts of the kernel.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  vmsplice: [278, 75],
  lookup_dcookie: [212, 18],
  modify_ldt: [154, undefined],
  personality: [135, 92],
  // The machine itself.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  syslog: [103, 116],
  acct: [163, 89],
  quotactl: [179, 60],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  sethostname: [170, 161],
  setdomainname: [171, 162],
}

interface Architecture {
  /** AUDIT_ARCH_… of linux/audit.h: which table of system calls a call is of. */
  readonly audit: number
  readonly column: 0 | 1
  readonly clone: number
  readonly socket: number
  readonly ioctl: number
  /** Numbers from here on are of a second table (x32). */
  readonly foreignFrom?: number
}

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000003e, column: 0, clone: 56, socket: 41, ioctl: 16, foreignFrom: 0x40000000 },
  arm64: { audit: 0xc00000b7, column: 1, clone: 220, socket: 198, ioctl: 29 },
}

/** Numbers of Linux. */
const LINUX = {
  /** System call, the same on both architectures; its flags lie in memory, which a filter cannot read. */
  clone3: 435,
  /** Flags of clone(2) that make namespaces: NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
  newNamespaces: 0x7e020000,
  /** Address family of socket(2). */
  afUnix: 1,
  /** Puts input into a terminal (ioctl_tty(2)). */
  tiocsti: 0x5412,
} as const
const ERRNO = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 }

/** Offsets in struct seccomp_data; arguments are 64 bits wide, the lower half first on both architectures. */
const OFFSET = { nr: 0, arch: 4, argument: (index: number) => 16 + index * 8 }
/** Instructions of classic BPF (linux/bpf_common.h): load a word, compare (equal, greater or equal, any of these bits), return. */
const OPCODE = { load: 0x20, ifEqual: 0x15, ifAtLeast: 0x35, ifAnyBit: 0x45, end: 0x06 } as const

/** Answers of a filter (linux/seccomp.h). */
const OUTCOME = { allow: 0x7fff0000, killProcess: 0x80000000 } as const
const refuseWith = (errno: number): number => 0x00050000 | errno

/** Code, instructions to skip when a comparison holds and when it does not, operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number]

const load = (offset: number): Instruction => [OPCODE.load, 0, 0, offset]
const end = (outcome: number): Instruction => [OPCODE.end, 0, 0, outcome]
/** Ends with the outcome when the word that was loaded compares so. */
const endIf = (compare: number, operand: number, outcome: number): readonly Instruction[] => [
  [compare, 0, 1, operand],
  end(outcome),
]
/** Decision on one system call by one of its arguments. */
const endFor = (nr: number, argument: number, decision: readonly Instruction[]): readonly Instruction[] => [
  [OPCODE.ifEqual, 0, decision.length + 1, nr],
  load(OFFSET.argument(argument)),
  ...decision,
]

/** The filter for an architecture by Node's name; undefined where its system calls are not known here. 8 bytes an instruction. */
export const seccompFilter = (architecture: string): Buffer | undefined => {
  const known = ARCHITECTURES[architecture]
  if (known === undefined) return undefined
  const { audit, column, clone, socket, ioctl, foreignFrom } = known
  const refused = Object.values(REFUSED).flatMap((numbers) => numbers[column] ?? [])
  const program: readonly Instruction[] = [
    load(OFFSET.arch),
    [OPCODE.ifEqual, 1, 0, audit],
    end(OUTCOME.killProcess),
    load(OFFSET.nr),
    ...(foreignFrom === undefined ? [] : endIf(OPCODE.ifAtLeast, foreignFrom, refuseWith(ERRNO.ENOSYS))),
    ...refused.flatMap((nr) => endIf(OPCODE.ifEqual, nr, refuseWith(ERRNO.EPERM))),
    // The C library goes on to clone, whose flags can be seen.
    ...endIf(OPCODE.ifEqual, LINUX.clone3, refuseWith(ERRNO.ENOSYS)),
    ...endFor(clone, 0, [...endIf(OPCODE.ifAnyBit, LINUX.newNamespaces, refuseWith(ERRNO.EPERM)), end(OUTCOME.allow)]),
    ...endFor(socket, 0, [...endIf(OPCODE.ifEqual, LINUX.afUnix, OUTCOME.allow), end(refuseWith(ERRNO.EAFNOSUPPORT))]),
    ...endFor(ioctl, 1, [...endIf(OPCODE.ifEqual, LINUX.tiocsti, refuseWith(ERRNO.EPERM)), end(OUTCOME.allow)]),
    end(OUTCOME.allow),
  ]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [i, [code, ifTrue, ifFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, i * 8)
    bytes.writeUInt8(ifTrue, i * 8 + 2)
    bytes.writeUInt8(ifFalse, i * 8 + 3)
    bytes.writeUInt32LE(operand >>> 0, i * 8 + 4)
  }
  return bytes
}
