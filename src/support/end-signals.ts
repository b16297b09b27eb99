/** Signals that end a program which then removes its temporary files: Ctrl-C, a request to end, and a terminal that closes. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
